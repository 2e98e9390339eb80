/** Describes the paths of caught e-mails (mail-routes.ts). */
import { type DescribedOperation, jsonContent } from '../http/described-operation.ts'

/** The group that they are shown in. */
export const emailTag = 'E-mail'

const file = {
  description: 'The document.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
}

/** Documents of e-mails, by a link or beside a delivery. */
export const attachmentOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/attachments',
    id: 'readLinkedAttachment',
    tag: emailTag,
    summary: 'A document behind the link of an e-mail',
    parameters: [
      {
        name: 'token',
        in: 'query',
        required: true,
        description: 'As it stands in the e-mail; it ends after 30 days.',
        schema: { type: 'string' },
      },
    ],
    isPublic: true,
    answers: { 200: file },
    errors: ['request.invalid', 'request.no-such-path', 'delivery.unknown'],
  },
  {
    method: 'get',
    path: '/api/deliveries/{deliveryId}/attachments/{position}',
    id: 'readAttachment',
    tag: emailTag,
    summary: 'A document of an e-mail',
    description: 'For administrators.',
    parameters: ['deliveryId', 'position'].map((name) => ({
      name,
      in: 'path' as const,
      required: true,
      description: 'As the delivery shows it.',
      schema: { type: 'integer' },
    })),
    answers: { 200: file },
    errors: ['request.invalid', 'caller.forbidden', 'delivery.unknown'],
  },
]

/** The list, and one of them. */
export const mailOperations: readonly DescribedOperation[] = [
  {
    method: 'get',
    path: '/api/mail',
    id: 'listMail',
    tag: emailTag,
    summary: 'E-mails that were caught instead of sent',
    description: 'For administrators, with `EMAIL_PROVIDER=file`; the newest first.',
    answers: {
      200: {
        description: 'Names of files.',
        content: jsonContent({
          type: 'object',
          properties: {
            data: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  name: { type: 'string' },
                  size: { type: 'integer' },
                  at: { type: 'string', format: 'date-time' },
                },
              },
            },
          },
        }),
      },
    },
    errors: ['request.invalid', 'caller.forbidden', 'request.no-such-path'],
  },
  {
    method: 'get',
    path: '/api/mail/{name}',
    id: 'readMail',
    tag: emailTag,
    summary: 'One of them, as it would be sent',
    parameters: [
      {
        name: 'name',
        in: 'path',
        required: true,
        description: 'As it is in the list.',
        schema: { type: 'string' },
      },
    ],
    answers: {
      200: {
        description: 'RFC 5322.',
        content: { 'message/rfc822': { schema: { type: 'string' } } },
      },
    },
    errors: ['request.invalid', 'caller.forbidden', 'request.no-such-path'],
  },
]
