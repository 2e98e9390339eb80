/** Which Docket this is. */
import { readFileSync } from 'node:fs'

/** The version of the package, whose own file stands one folder up, in the sources and in what is built. */
export const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
