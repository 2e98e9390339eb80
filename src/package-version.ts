/** The version of Docket, and how its command line is called. */
import { readFileSync } from 'node:fs'

/** The version of the package; its package.json is one folder up, in the sources and in the build. */
export const packageVersion = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/** How a command line begins: `docket` is not in the PATH, neither in a clone nor after a local npm install. */
export const commandName = import.meta.url.endsWith('.ts') ? 'npm run docket --' : 'npx docket'
