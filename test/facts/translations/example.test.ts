/** The example project speaks German and Croatian completely, as do the words of the service itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { findMissingTexts } from '../../../src/definitions/translations/missing-texts.ts'

test('no text of the example is missing', async () => {
  const { project } = await loadProject(
    fileURLToPath(new URL('../../../example/', import.meta.url)),
  )
  assert.ok(project)
  const { coverage, findings } = findMissingTexts(project)
  assert.deepEqual(findings.map(printFinding), [])
  assert.deepEqual(
    coverage.map(({ language, missing }) => [language, missing]),
    [
      ['de', 0],
      ['hr', 0],
    ],
  )
})
