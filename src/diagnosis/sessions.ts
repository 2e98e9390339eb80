/** Parts of statements about the connections of a server. */
import { sql } from '../database/sql.ts'

/** Open connections of users, `a`. For other roles, a role without pg_monitor sees no backend_type. */
export const sessions = sql`
FROM pg_stat_activity a
WHERE a.datid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'`

/** Connections that users may open on the server. */
export const mostOfServer = sql`
current_setting('max_connections')::integer
  - current_setting('superuser_reserved_connections')::integer
  - coalesce(current_setting('reserved_connections', true), '0')::integer`
