/** The JSON Schemas (draft 2020-12) for editors, one per kind of file. */
import type { TSchema } from 'typebox'
import { entitySchema } from './entity-definition.ts'
import { projectSchema, roleSchema } from './role-definition.ts'
import { translationSchema } from './translation.ts'

const published = (title: string, schema: TSchema) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  ...schema,
})

/** By file name under `schema/`. */
export const publishedSchemas = {
  entity: published('Docket entity definition', entitySchema),
  role: published('Docket security role', roleSchema),
  project: published('Docket project', projectSchema),
  translation: published('Docket translation', translationSchema),
}
