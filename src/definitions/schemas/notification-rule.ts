/** A rule of an entity's notifications: when it applies, who is notified, what they read, and by which channels. */
import { notifiedOperations } from '../operations.ts'
import { closed, Type } from './schema-builder.ts'

/** The channels that carry notifications besides the inbox. */
export const channelNames = ['email', 'webhook', 'slack', 'teams'] as const
export type ChannelName = (typeof channelNames)[number]

/** Those that reach a person, who may turn them off. */
export const personalChannels = ['email'] as const satisfies readonly ChannelName[]
type PersonalChannel = (typeof personalChannels)[number]

/** A value for each channel that reaches a person. */
export const byChannel = <T>(
  toValue: (channel: PersonalChannel) => T,
): Record<PersonalChannel, T> => ({
  email: toValue('email'),
})

/** A room of a chat. */
const roomOf = (setting: string) =>
  Type.Optional(
    Type.Object(
      {
        room: Type.String({
          pattern: '^[a-z][a-z0-9_-]*$',
          maxLength: 63,
          description: `A room of the setting ${setting}.`,
        }),
      },
      {
        ...closed,
        description:
          'The room that gets one message for all recipients together, with what all of them may read.',
      },
    ),
  )

/** The properties of a rule that belong to one channel. */
const channelProperties = {
  email: {
    emailTemplateId: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The template of its e-mails: email-templates/<id>.mjml with file and smtp, otherwise the id at the provider. Without it the template of the settings, or the built-in one.',
      }),
    ),
    replyTo: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Where replies to its e-mails go: actor, who acted, or a path that ends at a user, such as _created_by; to recipients who may not read that address, as EMAIL_REPLY_TO says.',
      }),
    ),
  },
  webhook: {
    webhook: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_-]*$',
        maxLength: 63,
        description:
          'A webhook of the setting WEBHOOK_URLS, which gets a request for each recipient.',
      }),
    ),
    webhookBody: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What the webhook gets instead of the usual JSON. Each text in it is a Liquid template; a text that is one output with the filter json at its end becomes that value.',
      }),
    ),
  },
  slack: { slack: roomOf('SLACK_ROOM_URLS') },
  teams: { teams: roomOf('TEAMS_ROOM_URLS') },
} satisfies Record<ChannelName, object>

/** The properties of a rule of `change`. */
const changeProperties = {
  fields: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      description:
        'For change: the fields of which any has to change. Without it, any field of the definition.',
    }),
  ),
  before: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For change: a $where object that the record matched before; condition is for after the change.',
    }),
  ),
}

/** The properties of a rule of `date`. */
const dateProperties = {
  field: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'For date: a field of the type date or timestamp.',
    }),
  ),
  offset: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'For date: how long after it, as "2 weeks", or before it, as "-30 days". In minutes and hours for a timestamp alone. Default: no time.',
    }),
  ),
  at: Type.Optional(
    Type.String({
      pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
      description:
        'For date: the time of the day in the zone of the project. Default 08:00; of a timestamp without an offset in days, its own time.',
    }),
  ),
  late: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 32,
      description:
        'For date: how long after it is due it may still be told of, if the service did not run: from "1 hour" to "90 days". Default "7 days".',
    }),
  ),
}

/** As `replyTo`: who acted. */
export const theActor = 'actor'

const contentPart = (meaning: string) =>
  Type.Optional(
    Type.String({
      description: `${meaning} A Liquid template over record, actor, recipient, entity, action, comment, and with change over before.`,
    }),
  )

export const notificationRule = Type.Object(
  {
    operation: Type.Enum(notifiedOperations, {
      description:
        'The operation on a record that the rule applies to; date: when a date of it is due; mention: for the users whom a comment mentions.',
    }),
    action: Type.Optional(
      Type.String({
        description:
          'For proceedToStep, the action: its kind, its key, the key of its form, or <from step>-<to step>.',
      }),
    ),
    condition: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'A $where object; the rule applies only to records that match it when the job runs.',
      }),
    ),
    ...changeProperties,
    ...dateProperties,
    urgent: Type.Optional(
      Type.Boolean({
        description: 'true: the quiet hours of a recipient do not hold its e-mail.',
      }),
    ),
    ...channelProperties.email,
    ...channelProperties.webhook,
    ...channelProperties.slack,
    ...channelProperties.teams,
    recipient: Type.Object(
      {
        userFields: Type.Optional(
          Type.Array(Type.String(), {
            description:
              'Fields of the record that link to a user, _created_by, _owned_by, or paths that end at a user.',
          }),
        ),
        userGroups: Type.Optional(
          Type.Array(Type.String(), {
            description: 'Codes of user groups whose members are notified.',
          }),
        ),
        followers: Type.Optional(
          Type.Boolean({
            description: 'true: users who follow the record; needs `comments` in the definition.',
          }),
        ),
        includeActor: Type.Optional(
          Type.Boolean({
            description: 'false: do not notify the user who acted (default true).',
          }),
        ),
        canTake: Type.Optional(
          Type.String({
            description:
              'Key of an action: only users who can take it of the record when the job runs, by their role and its condition.',
          }),
        ),
        skipRightsCheck: Type.Optional(
          Type.Boolean({
            description: 'true: also notify users whose role may not read the record.',
          }),
        ),
        showHidden: Type.Optional(
          Type.Boolean({
            description:
              'true: templates and attachments show these users also what their role may not read.',
          }),
        ),
      },
      closed,
    ),
    attachments: Type.Optional(
      Type.Object(
        {
          printableDocuments: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description: 'Codes of printable documents for this entity, attached as PDF.',
            }),
          ),
          documentFunctions: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description:
                'Functions that create files: names in document-functions/, or native/entity-export, native/entity-export-xlsx, native/record-json.',
            }),
          ),
          files: Type.Optional(
            Type.Array(Type.String({ minLength: 1 }), {
              description:
                'Fields of files, whose files of the record are attached for recipients who may read the field.',
            }),
          ),
        },
        closed,
      ),
    ),
    content: Type.Optional(
      Type.Object(
        {
          icon: contentPart('Name of an icon, for clients that show one.'),
          title: contentPart('One line, and the subject of an e-mail.'),
          message: contentPart('What happened.'),
          due_date: contentPart('A date or time when something is due.'),
          url: contentPart('An address that leads to the record.'),
        },
        closed,
      ),
    ),
  },
  closed,
)
