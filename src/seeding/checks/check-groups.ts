/** Checks that seeds contain the user groups of notification rules. */
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { listSeeds, readSeed } from '../files/seed-file.ts'

/**
 * A warning for each code without a seed: users may create the group; until then the rule has no
 * recipients by it.
 */
export const checkGroups = async (project: Project): Promise<Finding[]> => {
  const known = await seededCodes(project)
  return [...project.sources].flatMap(([key, source]) =>
    (project.catalog.entities.get(key)?.definition.notifications ?? []).flatMap((entry, index) =>
      (entry.recipient.userGroups ?? []).flatMap((code, position) => {
        if (known.has(code)) return []
        const path = ['notifications', index, 'recipient', 'userGroups', position]
        return [source.finding(path, lacking(code, known), 'warning')]
      }),
    ),
  )
}

const seededCodes = async (project: Project): Promise<ReadonlySet<string>> => {
  const { seeds } = await listSeeds(project)
  const ours = seeds.filter(({ entity }) => entity.key === 'user_group')
  const files = await Promise.all(ours.map((seed) => readSeed(project, seed)))
  const cells = files.flatMap(({ records }) => records.flatMap((record) => record.cells))
  return new Set(
    cells.flatMap(({ target, value }) => (target.column.name === 'code' ? [String(value)] : [])),
  )
}

const lacking = (code: string, known: ReadonlySet<string>): string =>
  `no seed has the user group "${code}"${didYouMean(code, known) || '; until it is created, it has no recipients'}`
