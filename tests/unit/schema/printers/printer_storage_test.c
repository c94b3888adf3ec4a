/* SPDX-License-Identifier: Apache-2.0 */
/* printer_storage_test.c -- the rows of volumes, claims and storage.k8s.io. */
#include "schema/printers/printers.h"

#include "unit/schema/cells.h"

#define META "'metadata':{'name':'v','creationTimestamp':'2026-11-15T11:59:00Z'}"

static void a_volume_shows_what_it_is_and_whose(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_persistentvolumes,
        "{" META ",'spec':{'capacity':{'storage':'5Gi'},'accessModes':['ReadWriteMany',"
        "'ReadWriteOnce'],'persistentVolumeReclaimPolicy':'Retain','claimRef':{'namespace':"
        "'n','name':'c'},'storageClassName':'fast','volumeAttributesClassName':'gold',"
        "'volumeMode':'Block'},'status':{'phase':'Bound','reason':'r'}}",
        "['v','5Gi','RWO,RWX','Retain','Bound','n/c','fast','gold','r','60s','Block']");
    assert_cells(lw_kind_persistentvolumes, "{" META "}",
                 "['v','0','','','','','','<unset>','','60s','<unset>']");
}

static void a_volume_on_its_way_out_is_terminating(void **state)
{
    (void)state;
    assert_cells(
        lw_kind_persistentvolumes,
        "{'metadata':{'name':'v','deletionTimestamp':'2026-11-15T11:59:00Z','annotations':{"
        "'volume.beta.kubernetes.io/storage-class':'old'}},'spec':{'storageClassName':"
        "'new'},'status':{'phase':'Bound'}}",
        "['v','0','','','Terminating','','old','<unset>','','<unknown>','<unset>']");
}

static void a_claim_has_a_size_once_it_is_bound(void **state)
{
    (void)state;
    assert_cells(lw_kind_persistentvolumeclaims,
                 "{" META ",'spec':{'volumeName':'pv','storageClassName':'fast'},'status':{'phase':"
                 "'Bound','capacity':{'storage':'1Gi'},'accessModes':['ReadWriteOncePod',"
                 "'ReadOnlyMany']}}",
                 "['v','Bound','pv','1Gi','ROX,RWOP','fast','<unset>','60s','<unset>']");
    assert_cells(lw_kind_persistentvolumeclaims,
                 "{" META ",'status':{'phase':'Pending','capacity':{'storage':'1Gi'},'accessModes':"
                 "['ReadOnlyMany']}}",
                 "['v','Pending','','','','','<unset>','60s','<unset>']");
}

static void a_class_says_whether_it_is_the_default(void **state)
{
    (void)state;
    assert_cells(lw_kind_storageclasses,
                 "{'metadata':{'name':'fast','annotations':{"
                 "'storageclass.kubernetes.io/is-default-class':'true'}},'provisioner':'p',"
                 "'reclaimPolicy':'Retain','volumeBindingMode':'WaitForFirstConsumer',"
                 "'allowVolumeExpansion':true}",
                 "['fast (default)','p','Retain','WaitForFirstConsumer',true,'<unknown>']");
    assert_cells(lw_kind_storageclasses, "{" META ",'provisioner':'p'}",
                 "['v','p','Delete','Immediate',false,'60s']");
}

static void drivers_show_what_they_can(void **state)
{
    (void)state;
    assert_cells(lw_kind_csidrivers, "{" META ",'spec':{}}",
                 "['v',true,false,false,'<unset>',false,'<none>','60s']");
    assert_cells(
        lw_kind_csidrivers,
        "{" META ",'spec':{'attachRequired':false,'podInfoOnMount':true,'storageCapacity':"
        "true,'requiresRepublish':true,'tokenRequests':[{'audience':'a'},{'audience':'b'}],"
        "'volumeLifecycleModes':['Persistent','Ephemeral']}}",
        "['v',false,true,true,'a,b',true,'Persistent,Ephemeral','60s']");
    assert_cells(lw_kind_csinodes, "{" META ",'spec':{'drivers':[{},{}]}}", "['v',2,'60s']");
}

static void capacities_and_attachments_show_their_place(void **state)
{
    (void)state;
    assert_cells(lw_kind_csistoragecapacities,
                 "{" META ",'storageClassName':'fast','capacity':'10Gi'}", "['v','fast','10Gi']");
    assert_cells(lw_kind_csistoragecapacities, "{" META "}", "['v','','<unset>']");
    assert_cells(lw_kind_volumeattachments,
                 "{" META ",'spec':{'attacher':'d','nodeName':'n','source':{'persistentVolumeName':"
                 "'pv'}},'status':{'attached':true}}",
                 "['v','d','pv','n',true,'60s']");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_volume_shows_what_it_is_and_whose),
        TEST(a_volume_on_its_way_out_is_terminating),
        TEST(a_claim_has_a_size_once_it_is_bound),
        TEST(a_class_says_whether_it_is_the_default),
        TEST(drivers_show_what_they_can),
        TEST(capacities_and_attachments_show_their_place),
    };
    return cmocka_run_group_tests_name("column_storage", tests, NULL, NULL);
}
