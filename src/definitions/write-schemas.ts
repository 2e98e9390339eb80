/** Writes the published JSON Schemas under `schema/` from the schemas that the check uses. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { publishedSchemas } from './schemas/published-schemas.ts'

for (const [name, schema] of Object.entries(publishedSchemas)) {
  const file = fileURLToPath(new URL(`../../schema/${name}.json`, import.meta.url))
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`)
}
