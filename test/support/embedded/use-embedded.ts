/** A process that uses the embedded database of a folder until the process is killed. */
import { startEmbedded } from '../../../src/database/embedded/embedded.ts'

let isStarted = false
const { connectionString } = await startEmbedded({
  directory: process.argv[2] ?? '',
  settings: { fsync: 'off' },
  observe: () => {
    isStarted = true
  },
})
process.stdout.write(`${JSON.stringify({ connectionString, isStarted })}\n`)
