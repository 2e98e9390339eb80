/** What the service would say of a project to one of its roles, by the service's own code, on the side of Node.js. */
import { rmSync } from 'node:fs'
import { administrationParts } from '../../../src/api/definition-schemas.ts'
import { describeEntities, permissionsOf } from '../../../src/api/describe-entity.ts'
import { buildOpenApi } from '../../../src/api/openapi/build-openapi.ts'
import { printRoles } from '../../../src/api/roles-of-user.ts'
import { sections } from '../../../src/api/sections.ts'
import type { Caller } from '../../../src/auth/caller.ts'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { type Catalog, getEntity } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import type { ProjectSettings } from '../../../src/definitions/schemas/role-definition.ts'
import { printFinding } from '../../../src/definitions/source-file.ts'
import { createLanguages } from '../../../src/definitions/translations/languages.ts'
import type { ProjectFiles } from '../../support/service.ts'
import { writeProject } from '../../support/service.ts'

/** Answers of the service, and the document that says what others may look like. */
export type ProjectDescription = {
  readonly me: object
  readonly entities: readonly object[]
  readonly name: string
  readonly locale: string
  readonly timeZone: string
  readonly firstDayOfWeek: NonNullable<ProjectSettings['firstDayOfWeek']> | null
  /** The OpenAPI document as JSON. */
  readonly openApi: string
}

export type Seen = {
  /** Keys of the roles after commas; by default that of the administrator. */
  readonly role?: string
  /** As `Accept-Language` names it. */
  readonly language?: string
}

const userId = 1

/** Fields of the user's own record that no page shows. */
const user = {
  identity_provider_user_id: 'user',
  first_name: '',
  last_name: '',
  username: 'user@example.com',
  phone: null,
  job_title: null,
  is_contact: false,
  is_active: true,
  is_blocked: false,
  blocked_at: null,
  _is_deleted: false,
  _created_by: userId,
  _updated_by: userId,
  _created_at: '2026-01-01T00:00:00.000Z',
  _updated_at: '2026-01-01T00:00:00.000Z',
}

/** What a project adds to users. */
const ownFields = (catalog: Catalog) =>
  Object.fromEntries(
    getEntity(catalog, 'user').columns.map(({ name, field }) => [
      name,
      ('default' in field ? field.default : undefined) ?? null,
    ]),
  )

const load = async (files: ProjectFiles) => {
  const directory = await writeProject(files)
  const { project, findings } = await loadProject(directory)
  rmSync(directory, { recursive: true })
  if (!project) throw new Error(findings.map(printFinding).join('\n'))
  const { catalog } = project
  // By the name of the project in a language.
  const documents = new Map<string, string>()
  const openApiOf = (projectName: string): string => {
    const known =
      documents.get(projectName) ??
      JSON.stringify(buildOpenApi({ catalog, basePath: '', projectName, sections }))
    documents.set(projectName, known)
    return known
  }
  return { project, openApiOf }
}

// Many roles and languages see the same project.
const loaded = new Map<string, ReturnType<typeof load>>()

/** Loads a project and describes it. Throws the findings of one that is invalid. */
export const describeProject = async (
  files: ProjectFiles,
  { role = 'administrator', language }: Seen,
): Promise<ProjectDescription> => {
  const key = JSON.stringify(files)
  const loading = loaded.get(key) ?? load(files)
  loaded.set(key, loading)
  const { project, openApiOf } = await loading
  const { catalog, settings } = project
  const permissions = createPermissions(catalog)
  const {
    catalog: named,
    menu,
    projectName = 'Test',
  } = createLanguages(project).choose([language ?? ''])
  const email = `${role.replaceAll(',', '-')}@example.com`
  const caller: Caller = { userId, actingUser: null, roleKey: role, fullName: role, email }
  const deps = { catalog, permissions }
  const isAdministrator = role === 'administrator'
  return {
    name: projectName,
    locale: settings.locale ?? 'en',
    timeZone: settings.timeZone ?? 'UTC',
    firstDayOfWeek: settings.firstDayOfWeek ?? null,
    me: {
      ...ownFields(catalog),
      ...user,
      id: userId,
      full_name: role,
      email,
      acting_user: null,
      ...printRoles(named, role),
      security_role_id: 1,
      administration: isAdministrator ? administrationParts : [],
      permissions: permissionsOf(deps, caller),
    },
    entities: describeEntities({ ...deps, named, menu }, caller),
    openApi: openApiOf(projectName),
  }
}
