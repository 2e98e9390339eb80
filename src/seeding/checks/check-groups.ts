/** Checks that seeds contain the user groups of notification rules, and that their members may read what the rules are about. */
import { createPermissions, type Permissions } from '../../auth/permissions.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import type { Cell, RawRecord } from '../files/seed.ts'
import { listSeeds, readSeed } from '../files/seed-file.ts'

/**
 * A warning for each code without a seed: users may create the group; until then the rule has no
 * recipients by it. A warning for each role of seeded members that the rule would skip.
 */
export const checkGroups = async (project: Project): Promise<Finding[]> => {
  const groups = await seededGroups(project)
  const permissions = createPermissions(project.catalog)
  return [...project.sources].flatMap(([key, source]) => {
    const entity = project.catalog.entities.get(key)
    return (entity?.definition.notifications ?? []).flatMap(({ recipient }, index) =>
      (recipient.userGroups ?? []).flatMap((code, position) => {
        const path = ['notifications', index, 'recipient', 'userGroups', position]
        const roles = groups.get(code)
        const messages =
          roles === undefined
            ? [lacking(code, groups.keys())]
            : entity && recipient.skipRightsCheck !== true
              ? skipped(permissions, entity, code, roles)
              : []
        return messages.map((message) => source.finding(path, message, 'warning'))
      }),
    )
  })
}

/** The role of each seeded member that a seed names, by the code of the group. */
type Groups = ReadonlyMap<string, readonly string[]>

const seededGroups = async (project: Project): Promise<Groups> => {
  const { seeds } = await listSeeds(project)
  const recordsOf = async (key: string): Promise<readonly RawRecord[]> => {
    const ours = seeds.filter(({ entity }) => entity.key === key)
    const files = await Promise.all(ours.map((seed) => readSeed(project, seed)))
    return files.flatMap(({ records }) => records)
  }
  const roles = new Map(
    (await recordsOf('user')).flatMap((user) => {
      const role = linked(user, 'security_role_id')
      return user.cells.flatMap((cell) =>
        role === undefined ? [] : [[named(cell.target.column.name, cell), role.value] as const],
      )
    }),
  )
  for (const further of await recordsOf('user_role')) {
    const [user, role] = [linked(further, 'user_id'), linked(further, 'security_role_id')]
    const place = user && named(user.target.by?.name ?? '', user)
    const first = place && roles.get(place)
    if (place && role && typeof first === 'string') roles.set(place, `${first},${role.value}`)
  }
  const members = (await recordsOf('user_group_member')).flatMap((member) => {
    const [group, user] = [linked(member, 'user_group_id'), linked(member, 'user_id')]
    const role = user && roles.get(named(user.target.by?.name ?? '', user))
    return group && typeof role === 'string' ? [{ group: String(group.value), role }] : []
  })
  const codes = (await recordsOf('user_group')).flatMap(({ cells }) =>
    cells.flatMap(({ target, value }) => (target.column.name === 'code' ? [String(value)] : [])),
  )
  return new Map(
    codes.map((code) => [
      code,
      members.filter(({ group }) => group === code).map(({ role }) => role),
    ]),
  )
}

const linked = ({ cells }: RawRecord, name: string): Cell | undefined =>
  cells.find(({ target }) => target.column.name === name && target.by !== undefined)

const named = (column: string, { value }: Cell): string => `${column} ${value}`

const lacking = (code: string, known: Iterable<string>): string =>
  `no seed has the user group "${code}"${didYouMean(code, known) || '; until it is created, it has no recipients'}`

const skipped = (
  permissions: Permissions,
  entity: Entity,
  code: string,
  roles: readonly string[],
): readonly string[] =>
  [...new Set(roles)]
    .filter((roleKey) => permissions.rightsOf({ userId: 0, roleKey }, entity).scopes.read === false)
    .map((role) => {
      const count = roles.filter((one) => one === role).length
      return `skips ${count === 1 ? 'a seeded member' : `${count} seeded members`} of "${code}": the role "${role}" may not read ${entity.key}; let it read, or set "skipRightsCheck"`
    })
