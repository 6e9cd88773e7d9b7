import { type Check, fail, ok, oneRow } from './check.ts';

interface Rights {
  role: string;
  unreadable: string[];
  mayCount: boolean;
  isSuperuser: boolean;
  writable: string[];
}

/** Whether the role may do what a gateway does: read three tables, and count views. */
export const checkPermissions: Check = async ({ client }) => {
  const rights = await oneRow<Rights>(
    client,
    `select current_user as role,
       array(select t from unnest(array['category', 'product', 'notice']) t where not has_table_privilege(t, 'select')) as unreadable,
       has_column_privilege('notice', 'view_count', 'update') as "mayCount",
       (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
       array(select t from unnest(array['category', 'product', 'notice']) t where has_table_privilege(t, 'insert')) as writable`,
  );
  const { role, unreadable, mayCount, isSuperuser, writable } = rights;
  if (unreadable.length > 0) {
    const tables = unreadable.join(', ');
    return [
      fail(
        'permissions',
        `${role} may not read ${tables}`,
        `Let the owner run "grant select on ${tables} to ${role}".`,
      ),
    ];
  }
  if (!mayCount) {
    const remedy = `Let the owner run "grant update (view_count) on notice to ${role}".`;
    return [fail('permissions', `${role} may not count views: notice detail would answer 500`, remedy)];
  }
  const surplus = isSuperuser
    ? '; it is a superuser, and could do with far less'
    : writable.length > 0
      ? '; it may also write, which serving does not need'
      : '';
  return [ok('permissions', `${role} reads the catalogue and counts views${surplus}`)];
};
