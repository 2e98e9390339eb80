/** The errors of an environment. */
import assert from 'node:assert/strict'
import { loadConfig } from '../../../src/config/load-config.ts'
import { StartupError } from '../../../src/errors.ts'

export const errorsOf = (environment: Record<string, string>): string[] => {
  try {
    loadConfig(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof StartupError)
    const [head, ...errors] = error.message.split('\n')
    assert.equal(head, 'The environment has errors:')
    return errors.map((one) => one.trim())
  }
}
