/** Why a database cannot be opened, as a message that says what to do. */
import { errorText } from '../../errors.ts'

export type ConnectError = {
  readonly text: string
  /** It may be temporary: a server that starts, or whose name does not resolve yet. */
  readonly mayPass: boolean
}

/** The target of a connection string, without its password. */
type Place = {
  readonly server: string
  readonly user: string
  readonly database: string
  /** The setting that names it. */
  readonly setting: string
}

type Row = {
  /** SQLSTATEs or codes of Node. */
  readonly codes: readonly string[]
  readonly mayPass: boolean
  readonly text: (place: Place, error: unknown) => string
}

const rows: readonly Row[] = [
  {
    codes: ['28P01'],
    mayPass: false,
    text: ({ server, user, setting }) =>
      `PostgreSQL at ${server} rejected the password of "${user}". Correct ${setting}.`,
  },
  {
    codes: ['28000'],
    mayPass: false,
    text: ({ server, user, setting }, error) =>
      `PostgreSQL at ${server} rejected the user "${user}": ${errorText(error)}. Correct ${setting}, or the server's pg_hba.conf.`,
  },
  {
    codes: ['3D000'],
    mayPass: false,
    text: ({ server, database, setting }) =>
      `There is no database "${database}" at ${server}. Create it (createdb ${database}), or correct ${setting}.`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    mayPass: true,
    text: ({ server, setting }) =>
      `The host of the database, ${server}, cannot be resolved. Correct ${setting}.`,
  },
  {
    codes: ['57P03'],
    mayPass: true,
    text: ({ server }, error) => `PostgreSQL at ${server} is not ready: ${errorText(error)}.`,
  },
  {
    codes: ['53300'],
    mayPass: true,
    text: ({ server }, error) =>
      `PostgreSQL at ${server} has no free connection:  ${errorText(error)}. Raise its max_connections, or lower DATABASE_POOL_SIZE and EXPORTS_AT_ONCE.`,
  },
  // What a pooler answers whose server is away, or that does not know the database.
  {
    codes: ['08P01', '08006', '08004', '08001'],
    mayPass: true,
    text: ({ server, setting }, error) =>
      `The server at ${server} refused: ${errorText(error)}. Correct ${setting}, or its pooler.`,
  },
  {
    codes: ['25006'],
    mayPass: true,
    text: ({ server, setting }) =>
      `PostgreSQL at ${server} is read-only, for example a standby. ${setting} must point to the primary server.`,
  },
]

const tlsCodes = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL/

/** The meaning of a connection error. */
export const connectErrorOf = (
  error: unknown,
  connectionString: string,
  setting: string,
): ConnectError => {
  const place = { ...placeOf(connectionString), setting }
  const code = codeOf(error)
  const row = rows.find(({ codes }) => codes.includes(code))
  if (row) return { text: row.text(place, error), mayPass: row.mayPass }
  const { server } = place
  if (/password must be a string/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} requires a password and ${setting} has none.`,
      mayPass: false,
    }
  if (tlsCodes.test(code))
    return {
      text: `The certificate of PostgreSQL at ${server} is not trusted (${code}). Set its authority in ${setting}: sslrootcert=FILE.`,
      mayPass: false,
    }
  if (/does not support SSL/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} does not support TLS. Remove sslmode from ${setting}, or enable TLS on the server.`,
      mayPass: false,
    }
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E'))
    return {
      text: `PostgreSQL at ${server} refused: ${errorText(error)} (${code}).`,
      mayPass: false,
    }
  const why = code === '' ? errorText(error) : code
  return {
    text: `PostgreSQL does not answer at ${server} (${why}). Start it, or correct ${setting}.`,
    mayPass: true,
  }
}

const codeOf = (error: unknown): string => {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  // A name with several addresses, none of which answers.
  return errors?.[0] === undefined ? '' : codeOf(errors[0])
}

const placeOf = (connectionString: string): Omit<Place, 'setting'> => {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  return {
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${url.port || '5432'}`,
    user: decodeURIComponent(url.username) || 'the user of this process',
    database: decodeURIComponent(url.pathname.slice(1)),
  }
}
