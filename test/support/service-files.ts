/** Finds the test files that start a service in their process, themselves or by a helper. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const isStarted = /startTestService\(/
const importOfHelper = /from '(\.[^']+\.ts)'/g

/** Whether a file of a folder does. */
export const startsService = (folder: string, file: string, known = new Set<string>()): boolean => {
  // Text of a test may look like an import.
  if (known.has(file) || file.startsWith('..') || !existsSync(join(folder, file))) return false
  known.add(file)
  const text = readFileSync(join(folder, file), 'utf8')
  if (isStarted.test(text) && file !== serviceFile) return true
  const imported = [...text.matchAll(importOfHelper)].map(([, path = '']) =>
    join(dirname(file), path),
  )
  return imported.some((path) => startsService(folder, path, known))
}

const serviceFile = join('support', 'service.ts')
