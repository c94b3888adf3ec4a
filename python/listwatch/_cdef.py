# SPDX-License-Identifier: Apache-2.0
"""The declarations of the C library that the package uses, as in include/listwatch/.

tests/e2e/python_abi_test.py compiles them beside the headers, so that they cannot differ."""

TYPES = """
typedef int lw_status;
typedef struct { const char *ptr; size_t len; } lw_str;
typedef struct { lw_str ns; lw_str name; } lw_key;
typedef struct { lw_str group; lw_str version; lw_str resource; } lw_gvr;
typedef struct {
    int code; int http_status; bool retriable; int retry_after_s; uint64_t offset;
    char reason[64]; char message[512];
} lw_error;
typedef struct lw_object lw_object;
typedef struct lw_object_list lw_object_list;
typedef struct lw_config lw_config;
typedef struct lw_client lw_client;
typedef struct lw_response lw_response;
typedef struct lw_async lw_async;
typedef struct lw_request lw_request;
typedef struct lw_factory lw_factory;
typedef struct lw_informer lw_informer;
typedef struct lw_lister lw_lister;
typedef struct lw_registration lw_registration;
typedef struct lw_label_selector lw_label_selector;
typedef struct lw_reconciler lw_reconciler;
typedef struct {
    const char *const *drop; const char *const *keep; bool keeps_managed_fields;
    bool trusts_input; size_t max_object_size;
} lw_read_options;
typedef struct { uint64_t objects; uint64_t bytes; uint64_t pages; } lw_list_bounds;
typedef struct {
    const char *api_version; const char *kind; const char *resource_version;
    const char *continue_token; int64_t remaining_item_count;
} lw_list_metadata;
typedef struct {
    size_t index; lw_str key; lw_str json; const lw_object *object; const char *at;
    const char *end; char close; bool is_started;
} lw_iter;
typedef struct {
    size_t size; const char *kubeconfig; const char *context; const char *server; const char *ns;
    const char *token; const char *ca_file; const char *impersonate; bool is_insecure;
    bool is_in_cluster; const char *const *impersonate_groups;
} lw_config_options;
typedef struct {
    size_t size; int timeout_s; int connect_timeout_s; int keepalive_s; int keepalive_reply_s;
    const char *user_agent; const char *proxy_url; int max_retries; int max_retry_wait_s;
    double qps; int burst; void (*on_warning)(const char *, void *); void *warning_arg;
    const void *clock; const void *logger;
} lw_client_options;
typedef struct { lw_gvr gvr; lw_str kind; bool is_namespaced; } lw_resource;
typedef struct {
    size_t size; const char *subresource; const char *resource_version; bool is_metadata_only;
    int timeout_ms;
} lw_get_options;
typedef struct {
    size_t size; const char *ns; const char *label_selector; const char *field_selector;
    const char *resource_version; const char *resource_version_match; int64_t limit;
    const char *continue_token; int timeout_s; bool allows_bookmarks; bool sends_initial_events;
    bool is_metadata_only; lw_read_options read; lw_list_bounds bounds;
} lw_list_options;
typedef struct {
    size_t size; const char *field_manager; const char *field_validation; bool dry_run;
    int timeout_ms; const char *ns; const char *name; const char *subresource;
} lw_create_options;
typedef struct {
    size_t size; const char *subresource; const char *field_manager; const char *field_validation;
    bool dry_run; int timeout_ms;
} lw_update_options;
typedef struct {
    size_t size; int type; const char *subresource; const char *field_manager;
    const char *field_validation; bool dry_run; int timeout_ms;
} lw_patch_options;
typedef struct {
    size_t size; const char *field_manager; bool force; bool dry_run;
    const char *field_validation; const char *subresource; int timeout_ms;
} lw_apply_options;
typedef struct {
    size_t size; int64_t grace_period_s; const char *propagation; const char *uid;
    const char *resource_version; bool dry_run; int timeout_ms;
} lw_delete_options;
typedef struct {
    lw_status st; const lw_error *err; const lw_object *object; const lw_object_list *list;
    const lw_response *response; const lw_resource *resource;
} lw_result;
typedef void (*lw_result_fn)(const lw_result *result, void *arg);
typedef struct {
    int type; int cause; const lw_object *object; const lw_object *old_object; uint64_t revision;
    bool is_uid_changed; bool is_final_state_unknown;
} lw_event;
typedef struct {
    void (*on_event)(const lw_event *event, void *arg); void *arg; int mode; int resync_s;
    size_t max_pending;
} lw_handler;
typedef void (*lw_informer_state_fn)(lw_informer *, int, const lw_error *, void *);
typedef struct {
    size_t size; lw_client *client; void *provider; const char *kubeconfig; const char *context;
    const char *ns; const char *label_selector; const char *field_selector; lw_read_options read;
    int resync_s; bool is_by_key; bool lists_only; int64_t page_size; const void *clock;
    const void *logger; lw_list_bounds bounds; int backoff_min_ms; int backoff_max_ms;
    lw_informer_state_fn on_state; void *state_arg; const char *state_dir;
    const char *state_version; int state_interval_s; int state_max_age_s;
    bool is_synced_from_state; bool tells_only_changes; const char *encoding;
    const char *compact; int read_interval_ms;
} lw_factory_options;
typedef struct {
    size_t size; const char *ns; const char *label_selector; const char *field_selector;
    bool is_metadata_only; const lw_read_options *read; int resync_s;
    lw_object *(*transform)(const lw_object *, void *); void *transform_arg; const char *compact;
} lw_informer_options;
typedef struct { int64_t again_after_ns; bool is_pending; const char *ticket; } lw_reconcile_result;
typedef lw_status (*lw_reconcile_fn)(lw_key key, lw_reconcile_result *result, void *arg,
                                     lw_error *err);
typedef struct {
    size_t size; const char *name; lw_reconcile_fn reconcile; void *arg; unsigned workers;
    const void *queue; const void *logger;
} lw_reconciler_options;
"""

FUNCTIONS = """
const char *lw_version(void);
const char *lw_status_name(lw_status st);
lw_status lw_config_load(lw_config **out, const lw_config_options *options, lw_error *err);
void lw_config_unref(lw_config *config);
const char *lw_config_server(const lw_config *config);
const char *lw_config_namespace(const lw_config *config);
lw_status lw_client_new(lw_client **out, lw_config *config, const lw_client_options *options,
                        lw_error *err);
void lw_client_unref(lw_client *client);
void lw_client_close(lw_client *client);
lw_status lw_object_from_json(lw_object **out, const char *json, size_t len, lw_error *err);
lw_object *lw_object_ref(const lw_object *obj);
void lw_object_unref(lw_object *obj);
const char *lw_object_api_version(const lw_object *obj);
const char *lw_object_kind(const lw_object *obj);
const char *lw_object_namespace(const lw_object *obj);
const char *lw_object_name(const lw_object *obj);
const char *lw_object_uid(const lw_object *obj);
const char *lw_object_resource_version(const lw_object *obj);
const char *lw_object_label(const lw_object *obj, const char *key);
const char *lw_object_annotation(const lw_object *obj, const char *key);
lw_str lw_object_json(const lw_object *obj);
lw_status lw_object_raw(const lw_object *obj, const char *pointer, lw_str *out);
lw_iter lw_object_iter(const lw_object *obj, const char *pointer);
bool lw_iter_next(lw_iter *iter);
lw_iter lw_iter_enter(const lw_iter *iter, const char *pointer);
lw_status lw_iter_raw(const lw_iter *iter, const char *pointer, lw_str *out);
void lw_object_list_free(lw_object_list *list);
size_t lw_object_list_count(const lw_object_list *list);
const lw_object *lw_object_list_at(const lw_object_list *list, size_t index);
const lw_list_metadata *lw_object_list_metadata(const lw_object_list *list);
lw_status lw_async_new(lw_async **out, lw_client *client, lw_error *err);
void lw_async_free(lw_async *async);
int lw_async_fd(const lw_async *async);
int lw_async_timeout_ms(const lw_async *async);
void lw_async_dispatch(lw_async *async);
void lw_request_cancel(lw_request *request);
lw_status lw_async_get(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                       const lw_get_options *options, lw_result_fn on_result, void *arg,
                       lw_request **out, lw_error *err);
lw_status lw_async_create(lw_async *async, lw_gvr gvr, const lw_object *obj,
                          const lw_create_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err);
lw_status lw_async_update(lw_async *async, lw_gvr gvr, const lw_object *obj,
                          const lw_update_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err);
lw_status lw_async_patch(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                         lw_str patch, const lw_patch_options *options, lw_result_fn on_result,
                         void *arg, lw_request **out, lw_error *err);
lw_status lw_async_apply(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                         lw_str configuration, const lw_apply_options *options,
                         lw_result_fn on_result, void *arg, lw_request **out, lw_error *err);
lw_status lw_async_delete(lw_async *async, lw_gvr gvr, const char *ns, const char *name,
                          const lw_delete_options *options, lw_result_fn on_result, void *arg,
                          lw_request **out, lw_error *err);
lw_status lw_async_list(lw_async *async, lw_gvr gvr, const lw_list_options *options,
                        lw_result_fn on_result, void *arg, lw_request **out, lw_error *err);
lw_status lw_async_find_resource(lw_async *async, const char *name, lw_result_fn on_result,
                                 void *arg, lw_request **out, lw_error *err);
lw_status lw_factory_new(lw_factory **out, const lw_factory_options *options, lw_error *err);
void lw_factory_free(lw_factory *factory);
lw_status lw_factory_informer_with(lw_factory *factory, const char *resource,
                                   const lw_informer_options *options, lw_informer **out,
                                   lw_error *err);
void lw_factory_drop(lw_factory *factory, lw_informer *informer);
lw_status lw_factory_start(lw_factory *factory, lw_error *err);
int lw_factory_fd(const lw_factory *factory);
int lw_factory_timeout_ms(const lw_factory *factory);
lw_status lw_factory_dispatch(lw_factory *factory, lw_error *err);
lw_status lw_informer_add_handler(lw_informer *informer, const lw_handler *handler,
                                  lw_registration **out, lw_error *err);
void lw_informer_remove_handler(lw_informer *informer, lw_registration *registration);
int lw_registration_fd(const lw_registration *registration);
size_t lw_registration_take(lw_registration *registration, lw_event *events, size_t event_size,
                            size_t max);
void lw_events_release(lw_event *events, size_t event_size, size_t count);
const char *lw_informer_resource(const lw_informer *informer);
bool lw_informer_is_synced(const lw_informer *informer);
const lw_lister *lw_informer_lister(const lw_informer *informer);
lw_status lw_informer_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                     lw_error *err);
lw_status lw_informer_last_error(const lw_informer *informer, lw_error *err);
lw_object *lw_lister_get(const lw_lister *lister, const char *ns, const char *name);
lw_status lw_lister_select(const lw_lister *lister, const char *ns,
                           const lw_label_selector *selector, lw_object_list **out, lw_error *err);
lw_status lw_lister_by_index(const lw_lister *lister, const char *name, const char *value,
                             lw_object_list **out, lw_error *err);
size_t lw_lister_count(const lw_lister *lister);
lw_status lw_label_selector_parse(lw_label_selector **out, lw_str text, lw_error *err);
void lw_label_selector_free(lw_label_selector *selector);
lw_status lw_reconciler_new(lw_reconciler **out, const lw_reconciler_options *options,
                            lw_error *err);
void lw_reconciler_free(lw_reconciler *reconciler);
lw_status lw_reconciler_watch(lw_reconciler *reconciler, lw_informer *informer, lw_error *err);
lw_status lw_reconciler_watch_owned(lw_reconciler *reconciler, lw_informer *informer,
                                    lw_informer *owners, lw_error *err);
lw_status lw_reconciler_start_in_loop(lw_reconciler *reconciler, lw_error *err);
int lw_reconciler_fd(const lw_reconciler *reconciler);
int lw_reconciler_timeout_ms(const lw_reconciler *reconciler);
void lw_reconciler_dispatch(lw_reconciler *reconciler);
void lw_reconciler_stop(lw_reconciler *reconciler);
void lw_reconciler_finish(lw_reconciler *reconciler, const char *ticket, lw_status st,
                          int64_t again_after_ns, const lw_error *err);
"""
