/** Why a database cannot be opened, as one sentence for the person who starts a command, with what to do. */
import { errorText } from '../../errors.ts'

export type ConnectError = {
  readonly text: string
  /** It may pass by itself: a server that starts, or whose name is not known yet. */
  readonly mayPass: boolean
}

/** Where a connection string leads, without its password. */
type Place = { readonly server: string; readonly user: string; readonly database: string }

type Row = {
  /** SQLSTATEs or codes of Node. */
  readonly codes: readonly string[]
  readonly mayPass: boolean
  readonly text: (place: Place, error: unknown) => string
}

const waiting = 'DATABASE_WAIT_SECONDS says how long to wait for it.'

const rows: readonly Row[] = [
  {
    codes: ['28P01'],
    mayPass: false,
    text: ({ server, user }) =>
      `PostgreSQL at ${server} refused the password of "${user}". Correct DATABASE_URL.`,
  },
  {
    codes: ['28000'],
    mayPass: false,
    text: ({ server, user }, error) =>
      `PostgreSQL at ${server} does not let "${user}" in: ${errorText(error)}. Correct DATABASE_URL, or the server's pg_hba.conf.`,
  },
  {
    codes: ['3D000'],
    mayPass: false,
    text: ({ server, database }) =>
      `There is no database "${database}" at ${server}. Create it (createdb ${database}), or correct DATABASE_URL.`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    mayPass: true,
    text: ({ server }) =>
      `The host of the database, ${server}, is not known. Correct DATABASE_URL; ${waiting}`,
  },
  {
    codes: ['57P03'],
    mayPass: true,
    text: ({ server }, error) =>
      `PostgreSQL at ${server} is not ready: ${errorText(error)}. ${waiting}`,
  },
  {
    codes: ['53300'],
    mayPass: true,
    text: ({ server }, error) =>
      `PostgreSQL at ${server} has no connection left: ${errorText(error)}. Raise its max_connections, or lower DATABASE_POOL_SIZE and EXPORTS_AT_ONCE.`,
  },
  {
    codes: ['25006'],
    mayPass: true,
    text: ({ server }) =>
      `PostgreSQL at ${server} is read-only, such as a standby. DATABASE_URL must lead to the primary server.`,
  },
]

const tlsCodes = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL/

/** What the error of a connection means. */
export const connectErrorOf = (error: unknown, connectionString: string): ConnectError => {
  const place = placeOf(connectionString)
  const code = codeOf(error)
  const row = rows.find(({ codes }) => codes.includes(code))
  if (row) return { text: row.text(place, error), mayPass: row.mayPass }
  const { server } = place
  if (/password must be a string/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} asks for a password and DATABASE_URL has none.`,
      mayPass: false,
    }
  if (tlsCodes.test(code))
    return {
      text: `The certificate of PostgreSQL at ${server} cannot be trusted (${code}). Name its authority in DATABASE_URL: sslrootcert=FILE.`,
      mayPass: false,
    }
  if (/does not support SSL/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} speaks no TLS. Leave sslmode out of DATABASE_URL, or turn TLS on there.`,
      mayPass: false,
    }
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E'))
    return {
      text: `PostgreSQL at ${server} refused: ${errorText(error)} (${code}).`,
      mayPass: false,
    }
  const why = code === '' ? errorText(error) : code
  return {
    text: `PostgreSQL does not answer at ${server} (${why}). Start it, or correct DATABASE_URL; ${waiting}`,
    mayPass: true,
  }
}

const codeOf = (error: unknown): string => {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  // A name with several addresses, none of which answers.
  return errors?.[0] === undefined ? '' : codeOf(errors[0])
}

const placeOf = (connectionString: string): Place => {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  return {
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${url.port || '5432'}`,
    user: decodeURIComponent(url.username) || 'the user of this process',
    database: decodeURIComponent(url.pathname.slice(1)),
  }
}
