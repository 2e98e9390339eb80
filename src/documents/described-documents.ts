/** Describes the path of printable documents (src/documents/routes.ts). */
import type { Entity } from '../definitions/catalog.ts'
import type {
  DescribedFeature,
  DescribedOperation,
  Parameter,
} from '../http/described-operation.ts'
import { plainText } from '../http/described-operation.ts'
import { entityId } from '../http/described-parameters.ts'

const code: Parameter = {
  name: 'code',
  in: 'path',
  required: true,
  description: 'Code of a printable document of this entity.',
  schema: { type: 'string', maxLength: 63 },
}

const printRow = ({ key, name }: Entity): DescribedOperation => ({
  method: 'get',
  path: `/${key}/{entityId}/documents/{code}`,
  id: `print_${key}`,
  tag: key,
  summary: `A PDF of a record of “${plainText(name)}”`,
  description: 'Fields and links that your role may not see are not in it.',
  parameters: [entityId, code],
  answers: {
    200: {
      description: 'The document, to be shown or saved.',
      headers: ['Content-Disposition'],
      content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  errors: [
    ...(['request.invalid', 'caller.forbidden', 'record.unknown', 'document.unknown'] as const),
    ...(['document.invalid', 'request.saturated'] as const),
  ],
})

/** One path per entity. */
export const documentFeature: DescribedFeature = {
  operations: ({ entities }) => [...entities.values()].map(printRow),
}
