/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch.hpp -- the C library for C++11 and later: handles that free themselves, string views,
 * errors as values.  Header only; link with liblistwatch.
 *
 *     listwatch::error err;
 *     listwatch::factory factory;
 *     if (!factory.open(listwatch::factory::options(), err))
 *         return std::puts(err.message()), 1;
 *
 * A function that can fail takes an error as its last argument and returns false, or an empty
 * handle.  Nothing throws, except std::bad_alloc where a comment says so and whatever a handler of
 * the program throws, which must not leave it: C functions are in between.  Threads, limits and
 * lifetimes are those of the C functions, which can be mixed with this header: get() returns the C
 * pointer of a handle. */
#ifndef LISTWATCH_LISTWATCH_HPP
#define LISTWATCH_LISTWATCH_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>

#include <listwatch.h>

#if __cplusplus >= 201703L
#include <string_view>
#endif

namespace listwatch
{

#if __cplusplus >= 201703L
using string_view = std::string_view;
#else
/* The part of std::string_view that C++11 and C++14 lack. */
class string_view
{
  public:
    string_view() noexcept : data_(""), size_(0) {}
    string_view(const char *text) noexcept
        : data_(text), size_(std::char_traits<char>::length(text))
    {
    }
    string_view(const char *text, std::size_t size) noexcept : data_(text), size_(size) {}
    string_view(const std::string &text) noexcept : data_(text.data()), size_(text.size()) {}
    const char *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    bool empty() const noexcept
    {
        return size_ == 0;
    }
    const char *begin() const noexcept
    {
        return data_;
    }
    const char *end() const noexcept
    {
        return data_ + size_;
    }
    explicit operator std::string() const
    {
        return std::string(data_, size_);
    }
    friend bool operator==(string_view a, string_view b) noexcept
    {
        return a.size_ == b.size_ &&
               std::char_traits<char>::compare(a.data_, b.data_, a.size_) == 0;
    }
    friend bool operator!=(string_view a, string_view b) noexcept
    {
        return !(a == b);
    }

  private:
    const char *data_;
    std::size_t size_;
};
#endif

/* Conversions between views; those of C must not be NULL. */
inline string_view view(lw_str text) noexcept
{
    return text.len ? string_view(text.ptr, text.len) : string_view("", 0);
}
inline lw_str view(string_view text) noexcept
{
    return lw_str_make(text.data(), text.size());
}

/* Why a call failed.  Converts to true if it did. */
class error
{
  public:
    error() noexcept
    {
        clear();
    }
    explicit operator bool() const noexcept
    {
        return raw_.code != LW_OK;
    }
    lw_status code() const noexcept
    {
        return raw_.code;
    }
    int http_status() const noexcept
    {
        return raw_.http_status;
    }
    bool retriable() const noexcept
    {
        return raw_.retriable;
    }
    const char *reason() const noexcept
    {
        return raw_.reason;
    }
    const char *message() const noexcept
    {
        return raw_.message;
    }
    lw_error *get() noexcept
    {
        return &raw_;
    }
    void clear() noexcept
    {
        const lw_error none = LW_ERROR_INIT;
        raw_ = none;
    }
    /* For reconcile functions and the like: sets the error and returns |code|. */
    lw_status set(lw_status code, const char *message) noexcept
    {
        return lw_error_set(&raw_, code, "%s", message);
    }

  private:
    friend class reconciler;
    lw_error raw_;
};

namespace detail
{
inline bool fine(lw_status st, error &err) noexcept
{
    if (st >= 0)
        err.clear();
    else if (err.code() != st)
        (void)err.set(st, lw_status_name(st));
    return st >= 0;
}

/* A pointer with one owner, which |Free| frees. */
template <typename T, void (*Free)(T *)> class handle
{
  public:
    handle() noexcept : ptr_(nullptr) {}
    explicit handle(T *taken) noexcept : ptr_(taken) {}
    handle(handle &&other) noexcept : ptr_(other.release()) {}
    handle &operator=(handle &&other) noexcept
    {
        reset(other.release());
        return *this;
    }
    handle(const handle &) = delete;
    handle &operator=(const handle &) = delete;
    ~handle()
    {
        reset();
    }
    T *get() const noexcept
    {
        return ptr_;
    }
    T *release() noexcept
    {
        T *ptr = ptr_;
        ptr_ = nullptr;
        return ptr;
    }
    void reset(T *taken = nullptr) noexcept
    {
        T *old = ptr_;
        ptr_ = taken;
        if (old && old != taken)
            Free(old);
    }
    explicit operator bool() const noexcept
    {
        return ptr_ != nullptr;
    }

  private:
    T *ptr_;
};
} // namespace detail

/* A reference to one object, or none; copies share the object.  Accessors need an object. */
class object
{
  public:
    object() noexcept : ptr_(nullptr) {}
    object(const object &other) noexcept : ptr_(other.ptr_ ? lw_object_ref(other.ptr_) : nullptr) {}
    object(object &&other) noexcept : ptr_(other.ptr_)
    {
        other.ptr_ = nullptr;
    }
    object &operator=(object other) noexcept
    {
        std::swap(ptr_, other.ptr_);
        return *this;
    }
    ~object()
    {
        lw_object_unref(ptr_);
    }

    static object take(lw_object *ptr) noexcept
    {
        object obj;
        obj.ptr_ = ptr;
        return obj;
    }
    static object share(const lw_object *ptr) noexcept
    {
        return take(ptr ? lw_object_ref(ptr) : nullptr);
    }
    static object from_json(string_view json, error &err) noexcept
    {
        lw_object *ptr = nullptr;
        detail::fine(lw_object_from_json(&ptr, json.data(), json.size(), err.get()), err);
        return take(ptr);
    }

    explicit operator bool() const noexcept
    {
        return ptr_ != nullptr;
    }
    const lw_object *get() const noexcept
    {
        return ptr_;
    }
    string_view api_version() const noexcept
    {
        return lw_object_api_version(ptr_);
    }
    string_view kind() const noexcept
    {
        return lw_object_kind(ptr_);
    }
    string_view name() const noexcept
    {
        return lw_object_name(ptr_);
    }
    string_view ns() const noexcept
    {
        return lw_object_namespace(ptr_);
    }
    string_view uid() const noexcept
    {
        return lw_object_uid(ptr_);
    }
    string_view resource_version() const noexcept
    {
        return lw_object_resource_version(ptr_);
    }
    string_view json() const noexcept
    {
        return view(lw_object_json(ptr_));
    }
    string_view label(const char *key, const char *fallback = "") const noexcept
    {
        const char *value = lw_object_label(ptr_, key);
        return value ? value : fallback;
    }
    /* The value at a JSON Pointer; valid as long as the object. */
    string_view string(const char *pointer, const char *fallback = "") const noexcept
    {
        return lw_object_string(ptr_, pointer, fallback);
    }
    std::int64_t integer(const char *pointer, std::int64_t fallback = 0) const noexcept
    {
        return lw_object_int(ptr_, pointer, fallback);
    }
    bool boolean(const char *pointer, bool fallback = false) const noexcept
    {
        return lw_object_bool(ptr_, pointer, fallback);
    }
    /* An iterator of object_iter.h over an array or object; valid as long as the object. */
    lw_iter iter(const char *pointer) const noexcept
    {
        return lw_object_iter(ptr_, pointer);
    }

  private:
    lw_object *ptr_;
};

/* A list of objects; a range for `for`. */
class object_list : public detail::handle<lw_object_list, lw_object_list_free>
{
  public:
    using handle::handle;
    class iterator
    {
      public:
        iterator(const lw_object_list *list, std::size_t at) noexcept : list_(list), at_(at) {}
        object operator*() const noexcept
        {
            return object::share(lw_object_list_at(list_, at_));
        }
        iterator &operator++() noexcept
        {
            at_++;
            return *this;
        }
        bool operator!=(const iterator &other) const noexcept
        {
            return at_ != other.at_;
        }

      private:
        const lw_object_list *list_;
        std::size_t at_;
    };
    std::size_t size() const noexcept
    {
        return lw_object_list_count(get());
    }
    object operator[](std::size_t index) const noexcept
    {
        return object::share(lw_object_list_at(get(), index));
    }
    iterator begin() const noexcept
    {
        return iterator(get(), 0);
    }
    iterator end() const noexcept
    {
        return iterator(get(), size());
    }
};

/* The server and the credentials. */
class config : public detail::handle<lw_config, lw_config_unref>
{
  public:
    struct options : lw_config_options {
        options() noexcept : lw_config_options(LW_CONFIG_OPTIONS_INIT) {}
    };
    bool load(const options &with, error &err) noexcept
    {
        lw_config *out = nullptr;
        if (!detail::fine(lw_config_load(&out, &with, err.get()), err))
            return false;
        reset(out);
        return true;
    }
    const char *server() const noexcept
    {
        return lw_config_server(get());
    }
    const char *ns() const noexcept
    {
        return lw_config_namespace(get());
    }
};

/* Single requests; they wait for the response.  Any thread may use a client. */
class client : public detail::handle<lw_client, lw_client_unref>
{
  public:
    struct options : lw_client_options {
        options() noexcept : lw_client_options(LW_CLIENT_OPTIONS_INIT) {}
    };
    bool open(const config &from, error &err, const options &with = options()) noexcept
    {
        lw_client *out = nullptr;
        if (!detail::fine(lw_client_new(&out, from.get(), &with, err.get()), err))
            return false;
        reset(out);
        return true;
    }
    void close() noexcept
    {
        lw_client_close(get());
    }
    /* Finds "pods", "deploy", "widgets.example.com". */
    bool find(const char *name, lw_resource &out, error &err) const noexcept
    {
        return detail::fine(lw_client_find_resource(handle::get(), name, &out, err.get()), err);
    }
    object get_object(const lw_gvr &gvr, const char *ns, const char *name, error &err,
                      const lw_get_options *with = nullptr) const noexcept
    {
        lw_object *out = nullptr;
        detail::fine(lw_client_get(get(), gvr, ns, name, with, &out, err.get()), err);
        return object::take(out);
    }
    object_list list(const lw_gvr &gvr, error &err,
                     const lw_list_options *with = nullptr) const noexcept
    {
        lw_object_list *out = nullptr;
        detail::fine(lw_client_list_all(get(), gvr, with, &out, err.get()), err);
        return object_list(out);
    }
    object create(const lw_gvr &gvr, const object &obj, error &err,
                  const lw_create_options *with = nullptr) const noexcept
    {
        lw_object *out = nullptr;
        detail::fine(lw_client_create(get(), gvr, obj.get(), with, &out, err.get()), err);
        return object::take(out);
    }
    object update(const lw_gvr &gvr, const object &obj, error &err,
                  const lw_update_options *with = nullptr) const noexcept
    {
        lw_object *out = nullptr;
        detail::fine(lw_client_update(get(), gvr, obj.get(), with, &out, err.get()), err);
        return object::take(out);
    }
    object patch(const lw_gvr &gvr, const char *ns, const char *name, string_view body, error &err,
                 const lw_patch_options *with = nullptr) const noexcept
    {
        lw_object *out = nullptr;
        detail::fine(lw_client_patch(get(), gvr, ns, name, view(body), with, &out, err.get()), err);
        return object::take(out);
    }
    object apply(const lw_gvr &gvr, const char *ns, const char *name, string_view configuration,
                 error &err, const lw_apply_options *with = nullptr) const noexcept
    {
        lw_object *out = nullptr;
        detail::fine(lw_client_apply(get(), gvr, ns, name, view(configuration), with, &out,
                                     err.get()),
                     err);
        return object::take(out);
    }
    bool remove(const lw_gvr &gvr, const char *ns, const char *name, error &err,
                const lw_delete_options *with = nullptr) const noexcept
    {
        return detail::fine(lw_client_delete(get(), gvr, ns, name, with, err.get()), err);
    }
};

/* Reads the cache of an informer; valid as long as the informer. */
class lister
{
  public:
    explicit lister(const lw_lister *ptr) noexcept : ptr_(ptr) {}
    object get(const char *ns, const char *name) const noexcept
    {
        return object::take(lw_lister_get(ptr_, ns, name));
    }
    /* Empty if memory runs out or the selector is malformed; then it converts to false. */
    object_list list(const char *ns = nullptr, const char *selector = nullptr) const noexcept
    {
        return object_list(lw_lister_list(ptr_, ns, selector));
    }
    object_list by_index(const char *name, const char *value, error &err) const noexcept
    {
        lw_object_list *out = nullptr;
        detail::fine(lw_lister_by_index(ptr_, name, value, &out, err.get()), err);
        return object_list(out);
    }
    std::size_t count() const noexcept
    {
        return lw_lister_count(ptr_);
    }

  private:
    const lw_lister *ptr_;
};

/* Informers that share a connection; owns them and the functions of their handlers. */
class factory : public detail::handle<lw_factory, lw_factory_free>
{
  public:
    struct options : lw_factory_options {
        options() noexcept : lw_factory_options(LW_FACTORY_OPTIONS_INIT) {}
    };
    struct informer_options : lw_informer_options {
        informer_options() noexcept : lw_informer_options(LW_INFORMER_OPTIONS_INIT) {}
    };
    using handler = std::function<void(const lw_event &)>;

    /* An informer of a factory; valid as long as the factory.  A plain value. */
    class informer
    {
      public:
        informer() noexcept : owner_(nullptr), ptr_(nullptr) {}
        explicit operator bool() const noexcept
        {
            return ptr_ != nullptr;
        }
        lw_informer *get() const noexcept
        {
            return ptr_;
        }
        /* Calls |function| with each event; it must not throw.  May throw std::bad_alloc. */
        bool on_event(handler function, error &err,
                      lw_handler_mode mode = LW_HANDLER_IN_DISPATCH) const
        {
            owner_->handlers_.push_back(std::move(function));
            lw_handler added = { &factory::call, &owner_->handlers_.back(), mode, 0, 0 };
            if (detail::fine(lw_informer_add_handler(ptr_, &added, nullptr, err.get()), err))
                return true;
            owner_->handlers_.pop_back();
            return false;
        }
        bool add_index(const char *name, const char *pointer, error &err) const noexcept
        {
            return detail::fine(lw_informer_add_index_path(ptr_, name, pointer, err.get()), err);
        }
        bool is_synced() const noexcept
        {
            return lw_informer_is_synced(ptr_);
        }
        lister cache() const noexcept
        {
            return lister(lw_informer_lister(ptr_));
        }

      private:
        friend class factory;
        informer(factory *owner, lw_informer *ptr) noexcept : owner_(owner), ptr_(ptr) {}
        factory *owner_;
        lw_informer *ptr_;
    };

    factory() noexcept {}
    factory(const factory &) = delete;
    factory &operator=(const factory &) = delete;
    /* Before the functions of the handlers, which it may still be calling. */
    ~factory()
    {
        reset();
    }

    bool open(const options &with, error &err) noexcept
    {
        lw_factory *out = nullptr;
        if (!detail::fine(lw_factory_new(&out, &with, err.get()), err))
            return false;
        reset(out);
        return true;
    }
    informer make(const char *resource, error &err,
                  const informer_options &with = informer_options()) noexcept
    {
        lw_informer *out = nullptr;
        detail::fine(lw_factory_informer_with(get(), resource, &with, &out, err.get()), err);
        return informer(this, out);
    }
    bool start(error &err) noexcept
    {
        return detail::fine(lw_factory_start(get(), err.get()), err);
    }
    bool wait_for_sync(int timeout_s, error &err) noexcept
    {
        return detail::fine(lw_factory_wait_for_sync(get(), timeout_s, err.get()), err);
    }
    void run() noexcept
    {
        lw_factory_run(get());
    }
    void stop() noexcept
    {
        lw_factory_stop(get());
    }
    /* For an event loop of the program. */
    int fd() const noexcept
    {
        return lw_factory_fd(get());
    }
    int timeout_ms() const noexcept
    {
        return lw_factory_timeout_ms(get());
    }
    bool dispatch(error &err) noexcept
    {
        return detail::fine(lw_factory_dispatch(get(), err.get()), err);
    }

  private:
    static void call(const lw_event *event, void *arg)
    {
        (*static_cast<handler *>(arg))(*event);
    }
    std::list<handler> handlers_; /* their addresses do not change */
};

using informer = factory::informer;

/* The reconcile loop of a controller; destroy it before the factory. */
class reconciler : public detail::handle<lw_reconciler, lw_reconciler_free>
{
  public:
    /* Returns LW_OK, or a status for a retry, with err.set().  Must not throw. */
    using function = std::function<lw_status(lw_key, lw_reconcile_result &, error &)>;

    reconciler() noexcept {}
    reconciler(const reconciler &) = delete;
    reconciler &operator=(const reconciler &) = delete;
    ~reconciler()
    {
        reset();
    } /* before |function_|, which a worker may be calling */

    bool open(const char *name, function reconcile, error &err, unsigned workers = 1)
    {
        lw_reconciler_options options = LW_RECONCILER_OPTIONS_INIT;
        lw_reconciler *out = nullptr;
        options.name = name;
        options.reconcile = &reconciler::call;
        options.arg = this;
        options.workers = workers;
        reset();
        function_ = std::move(reconcile);
        if (!detail::fine(lw_reconciler_new(&out, &options, err.get()), err))
            return false;
        reset(out);
        return true;
    }
    bool watch(const informer &of, error &err) noexcept
    {
        return detail::fine(lw_reconciler_watch(get(), of.get(), err.get()), err);
    }
    bool watch_owned(const informer &of, const informer &owners, error &err) noexcept
    {
        return detail::fine(lw_reconciler_watch_owned(get(), of.get(), owners.get(), err.get()),
                            err);
    }
    bool start(error &err) noexcept
    {
        return detail::fine(lw_reconciler_start(get(), err.get()), err);
    }
    void stop() noexcept
    {
        lw_reconciler_stop(get());
    }

  private:
    static lw_status call(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
    {
        error failure;
        const lw_status st = static_cast<reconciler *>(arg)->function_(key, *result, failure);
        if (st < 0 && err)
            *err = failure.raw_;
        return st;
    }
    function function_;
};

} // namespace listwatch

#endif
