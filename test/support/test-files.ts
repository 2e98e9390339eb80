/** The tiers of the tests, each a folder of `test/`, and how their files share processes. */
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The files that run in one process, by their paths in `test/`. */
export type Group = readonly string[]

/** The folder `test/`. */
export const root = fileURLToPath(new URL('..', import.meta.url))

// The longest first, so that no processor waits for the last of them. A file is of the first tier that has it.
const tiers = [
  { folder: 'process', filesPerProcess: 9 },
  { folder: 'journeys', filesPerProcess: 10 },
  { folder: 'service/{doors,hostile}', filesPerProcess: 7 },
  { folder: 'service', filesPerProcess: 38 },
  { folder: 'facts', filesPerProcess: 120 },
] as const

// They count the threads, or measure the memory, of their own process.
const alone = ['service/export/copy-in-ranges.test.ts', 'service/export/export-threads.test.ts']

/** The files of a folder; with words only those whose path has one of them. */
const filesOf = (pattern: string, words: readonly string[]): readonly string[] =>
  globSync(pattern, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
    .sort()

/** Neighbours have much in common, such as the service that they use. */
const divide = (files: readonly string[], size: number): readonly Group[] =>
  Array.from({ length: Math.ceil(files.length / size) }, (_, index) =>
    files.slice(index * size, (index + 1) * size),
  )

/** The groups of all tiers that Node.js runs. */
export const groupsOf = (words: readonly string[]): readonly Group[] => {
  const taken = new Set<string>()
  return tiers.flatMap(({ folder, filesPerProcess }) => {
    const files = filesOf(`${folder}/**/*.test.ts`, words).filter((file) => !taken.has(file))
    for (const file of files) taken.add(file)
    const own = files.filter((file) => alone.includes(file))
    const shared = files.filter((file) => !alone.includes(file))
    return [...own.map((file) => [file]), ...divide(shared, filesPerProcess)]
  })
}

/** The groups of files below a folder, such as `service` or `service/cli`. */
export const groupsIn = (folder: string): readonly Group[] =>
  groupsOf([`${folder}/`])
    .map((group) => group.filter((file) => file.startsWith(`${folder}/`)))
    .filter((group) => group.length > 0)

/** The tests of components, which Vitest runs. */
export const componentFiles = (words: readonly string[]): readonly string[] =>
  filesOf('components/**/*.test.tsx', words)

/** The files of a part of the long tests. */
export const longFiles = (part: string): readonly string[] =>
  filesOf(`long/${part}/**/*.test.ts`, [])
