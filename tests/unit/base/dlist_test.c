/* SPDX-License-Identifier: Apache-2.0 */
/* dlist_test.c -- the intrusive list. */
#include "base/dlist.h"

#include "unit/test.h"

typedef struct item {
    char name;
    lw_dlist_node link; /* not the first member: offsets must be right */
} item;

/* The list holds exactly the items named in |names|, read forwards and backwards. */
static void assert_order(const lw_dlist *list, const char *names)
{
    char forwards[16] = "";
    char backwards[16] = "";
    size_t len = 0;
    LW_DLIST_FOR_EACH(item, it, list, link)
    {
        assert_true(len < sizeof(forwards) - 1);
        forwards[len++] = it->name;
    }
    size_t at = len;
    for (lw_dlist_node *n = lw_dlist_last(list); n; n = lw_dlist_prev(list, n)) {
        assert_true(at > 0);
        backwards[--at] = LW_DLIST_ITEM(n, item, link)->name;
    }
    assert_int_equal(at, 0);
    assert_string_equal(forwards, names);
    assert_string_equal(backwards, names);
}

typedef struct fixture {
    lw_dlist list;
    item a, b, c;
} fixture;

static fixture *abc(fixture *f)
{
    *f = (fixture){ .a.name = 'a', .b.name = 'b', .c.name = 'c' };
    lw_dlist_init(&f->list);
    lw_dlist_push_back(&f->list, &f->a.link);
    lw_dlist_push_back(&f->list, &f->b.link);
    lw_dlist_push_back(&f->list, &f->c.link);
    return f;
}

static void an_empty_list_has_no_ends(void **state)
{
    (void)state;
    lw_dlist list;
    lw_dlist_init(&list);
    assert_true(lw_dlist_is_empty(&list));
    assert_null(lw_dlist_first(&list));
    assert_null(lw_dlist_last(&list));
    assert_null(lw_dlist_pop_front(&list));
    assert_order(&list, "");
}

static void keeps_the_order_of_pushes(void **state)
{
    (void)state;
    fixture f;
    abc(&f);
    item d = { .name = 'd' };
    lw_dlist_push_front(&f.list, &d.link);
    assert_order(&f.list, "dabc");
    assert_false(lw_dlist_is_empty(&f.list));
}

static void inserts_before_any_node(void **state)
{
    (void)state;
    fixture f;
    abc(&f);
    item d = { .name = 'd' };
    item e = { .name = 'e' };
    lw_dlist_insert_before(&f.a.link, &d.link);
    lw_dlist_insert_before(&f.c.link, &e.link);
    assert_order(&f.list, "dabec");
}

static void removes_first_middle_and_last(void **state)
{
    (void)state;
    fixture f;
    lw_dlist_remove(&abc(&f)->a.link);
    assert_order(&f.list, "bc");
    lw_dlist_remove(&abc(&f)->b.link);
    assert_order(&f.list, "ac");
    lw_dlist_remove(&abc(&f)->c.link);
    assert_order(&f.list, "ab");
    lw_dlist_remove(&f.a.link);
    lw_dlist_remove(&f.b.link);
    assert_true(lw_dlist_is_empty(&f.list));
}

static void a_node_knows_whether_it_is_linked(void **state)
{
    (void)state;
    fixture f;
    item d = { .name = 'd', .link = LW_DLIST_NODE_INIT };
    assert_false(lw_dlist_node_is_linked(&d.link));
    assert_true(lw_dlist_node_is_linked(&abc(&f)->a.link));
    lw_dlist_remove(&f.a.link);
    assert_false(lw_dlist_node_is_linked(&f.a.link));
    lw_dlist_push_back(&f.list, &f.a.link);
    assert_order(&f.list, "bca");
}

static void pops_from_the_front(void **state)
{
    (void)state;
    fixture f;
    assert_ptr_equal(lw_dlist_pop_front(&abc(&f)->list), &f.a.link);
    assert_order(&f.list, "bc");
}

static void the_safe_walk_may_remove_and_wipe_the_current_item(void **state)
{
    (void)state;
    fixture f;
    abc(&f);
    int seen = 0;
    LW_DLIST_FOR_EACH_SAFE(item, it, &f.list, link)
    {
        seen++;
        if (it->name != 'b') {
            lw_dlist_remove(&it->link);
            memset(it, 0xff, sizeof(*it));
        }
    }
    assert_int_equal(seen, 3);
    assert_order(&f.list, "b");
}

static void the_safe_walk_over_nothing_does_nothing(void **state)
{
    (void)state;
    lw_dlist list;
    lw_dlist_init(&list);
    LW_DLIST_FOR_EACH_SAFE(item, it, &list, link)
    fail();
}

static void a_walk_sees_what_is_added_behind_the_current_item(void **state)
{
    (void)state;
    fixture f;
    abc(&f);
    item d = { .name = 'd' };
    int seen = 0;
    LW_DLIST_FOR_EACH(item, it, &f.list, link)
    {
        if (it->name == 'c')
            lw_dlist_push_back(&f.list, &d.link);
        seen++;
    }
    assert_int_equal(seen, 4);
}

static void appends_all_of_another_list_in_order(void **state)
{
    (void)state;
    fixture f;
    fixture g;
    abc(&f);
    abc(&g);
    g.a.name = 'x';
    lw_dlist_append_all(&f.list, &g.list);
    assert_order(&f.list, "abcxbc");
    assert_true(lw_dlist_is_empty(&g.list));
    lw_dlist_append_all(&f.list, &g.list);
    assert_order(&f.list, "abcxbc");
    lw_dlist_append_all(&g.list, &f.list);
    assert_order(&g.list, "abcxbc");
    assert_true(lw_dlist_is_empty(&f.list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_list_has_no_ends),
        TEST(keeps_the_order_of_pushes),
        TEST(inserts_before_any_node),
        TEST(removes_first_middle_and_last),
        TEST(a_node_knows_whether_it_is_linked),
        TEST(pops_from_the_front),
        TEST(the_safe_walk_may_remove_and_wipe_the_current_item),
        TEST(the_safe_walk_over_nothing_does_nothing),
        TEST(a_walk_sees_what_is_added_behind_the_current_item),
        TEST(appends_all_of_another_list_in_order),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
