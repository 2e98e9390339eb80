/** Ends what a test has opened, and fails it for what its page asked for in vain. */
import { afterEach } from 'vitest'
import { closeConsole } from './open-console.tsx'

afterEach(closeConsole)
