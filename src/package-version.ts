/** The version of Docket. */
import { readFileSync } from 'node:fs'

/** The version of the package; its package.json is one folder up, in the sources and in the build. */
export const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
