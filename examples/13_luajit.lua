-- SPDX-License-Identifier: Apache-2.0
-- 13_luajit.lua -- an informer in Lua with LuaJIT's ffi: what is there, and what changes.
--
--     luajit 13_luajit.lua [RESOURCE [EVENTS]]     ends after EVENTS events, or with Ctrl-C
--
-- LISTWATCH_LIBRARY is the path of the library if it is not installed.  The loop is that of the
-- program (fd, timeout, dispatch), so that no other thread ever calls into Lua.
local ffi = require("ffi")

ffi.cdef [[
typedef int lw_status;
typedef struct lw_factory lw_factory;
typedef struct lw_informer lw_informer;
typedef struct lw_registration lw_registration;
typedef struct lw_object lw_object;
typedef struct {
    int code, http_status; bool retriable; int retry_after_s; uint64_t offset;
    char reason[64]; char message[512];
} lw_error;
typedef struct {
    int type, cause; const lw_object *object, *old_object; uint64_t revision;
    bool is_uid_changed, is_final_state_unknown;
} lw_event;
typedef struct {
    void (*on_event)(const lw_event *event, void *arg); void *arg; int mode, resync_s;
    size_t max_pending;
} lw_handler;
lw_status lw_factory_new(lw_factory **out, const void *options, lw_error *err);
void lw_factory_free(lw_factory *factory);
lw_status lw_factory_informer(lw_factory *factory, const char *resource, lw_informer **out,
                              lw_error *err);
int lw_factory_fd(const lw_factory *factory);
int lw_factory_timeout_ms(const lw_factory *factory);
lw_status lw_factory_dispatch(lw_factory *factory, lw_error *err);
lw_status lw_informer_add_handler(lw_informer *informer, const lw_handler *handler,
                                  lw_registration **out, lw_error *err);
size_t lw_registration_drain(lw_registration *registration, size_t max);
const char *lw_event_type_name(int type);
const char *lw_object_namespace(const lw_object *obj);
const char *lw_object_name(const lw_object *obj);
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *fds, unsigned long count, int timeout);
]]

local lw = ffi.load(os.getenv("LISTWATCH_LIBRARY") or "liblistwatch.so.0")
local err = ffi.new("lw_error")

local function check(status)
    if status < 0 then
        io.stderr:write("13_luajit: ", ffi.string(err.message), "\n")
        os.exit(1)
    end
end

local resource, limit = arg[1] or "pods", tonumber(arg[2]) or math.huge
local seen = 0

-- Kept in a variable: Lua must not collect it while the library calls it.
local on_event = ffi.cast("void (*)(const lw_event *, void *)", function(event)
    seen = seen + 1
    print(ffi.string(lw.lw_event_type_name(event.type)),
          ffi.string(lw.lw_object_namespace(event.object)) .. "/" ..
          ffi.string(lw.lw_object_name(event.object)))
    io.flush()
end)

local factory, informer = ffi.new("lw_factory *[1]"), ffi.new("lw_informer *[1]")
local registration = ffi.new("lw_registration *[1]")
check(lw.lw_factory_new(factory, nil, err))
check(lw.lw_factory_informer(factory[0], resource, informer, err))
-- mode 2: LW_HANDLER_DRAINED, so that this program decides when the function is called
check(lw.lw_informer_add_handler(informer[0], ffi.new("lw_handler", { on_event, nil, 2 }),
                                 registration, err))
-- A function that LuaJIT has compiled must not call C that calls back into Lua.
local function drain()
    lw.lw_registration_drain(registration[0], 64)
end
jit.off(drain)

local fds = ffi.new("struct pollfd[1]", { { lw.lw_factory_fd(factory[0]), 1, 0 } })
while seen < limit do
    ffi.C.poll(fds, 1, lw.lw_factory_timeout_ms(factory[0]))
    check(lw.lw_factory_dispatch(factory[0], err))
    drain()
end
lw.lw_factory_free(factory[0])
on_event:free()
