/** Which notifications reach the user beyond the inbox, by kind and channel. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import {
  type NotificationPreference,
  notificationPreferencesQuery,
  savePreference,
} from '../../api/own/account.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { nameOfKey } from '../format/format-value.ts'
import { useSession } from '../session/session.ts'

const keyOf = ({ entity, operation }: NotificationPreference): string => `${entity} ${operation}`

/** The preferences of the user; a change is shown at once. */
export const usePreferences = () => {
  const client = useQueryClient()
  const { entities } = useSession()
  const { queryKey } = notificationPreferencesQuery
  const all = useQuery(notificationPreferencesQuery)
  const { mutate, error } = useMutation({
    mutationFn: savePreference,
    scope: { id: 'notification preferences' },
    onMutate: async (changed) => {
      await client.cancelQueries({ queryKey })
      client.setQueryData(queryKey, (now = []) =>
        now.map((one) => (keyOf(one) === keyOf(changed) ? changed : one)),
      )
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  // Nothing is sent about entities that the role may not read, and their names stay hidden.
  const preferences = (all.data ?? []).filter(
    ({ entity }) => (entities.get(entity)?.permissions.read ?? false) !== false,
  )
  return { preferences, change: mutate, error: error ?? all.error }
}

const channelsOf = (preferences: readonly NotificationPreference[]): readonly string[] => [
  ...new Set(
    preferences.flatMap((one) => Object.keys(one).filter((name) => typeof one[name] === 'boolean')),
  ),
]

type ChoicesProps = ReturnType<typeof usePreferences>

export const NotificationChoices = ({ preferences, change, error }: ChoicesProps): ReactNode => {
  const { settings: texts, recipients } = useWorkTexts()
  const names: Readonly<Record<string, string>> = recipients.channels
  const channels = channelsOf(preferences)
  const channelName = (channel: string) => names[channel] ?? nameOfKey(channel)
  return (
    <>
      <p className="setting-help">{texts.mailsHelp}</p>
      {error && <p role="alert">{`${texts.notSaved} ${error.message}`}</p>}
      <table className="setting-table">
        <thead>
          <tr>
            <th scope="col">{texts.entity}</th>
            <th scope="col">{texts.operation}</th>
            {channels.map((channel) => (
              <th key={channel} scope="col">
                {channelName(channel)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {preferences.map((one) => (
            <Row
              key={keyOf(one)}
              one={one}
              channels={channels}
              channelName={channelName}
              change={change}
            />
          ))}
        </tbody>
      </table>
    </>
  )
}

type RowProps = Pick<ChoicesProps, 'change'> & {
  readonly one: NotificationPreference
  readonly channels: readonly string[]
  readonly channelName: (channel: string) => string
}

const Row = ({ one, channels, channelName, change }: RowProps): ReactNode => {
  const texts = useWorkTexts().settings
  const { entities } = useSession()
  const entity = entities.get(one.entity)?.name ?? one.entity
  const operation = texts.operations[one.operation] ?? nameOfKey(one.operation)
  return (
    <tr>
      <td dir="auto">{entity}</td>
      <td>{operation}</td>
      {channels.map((channel) => (
        <td key={channel}>
          <input
            type="checkbox"
            aria-label={texts.choice(channelName(channel), entity, operation)}
            checked={one[channel] === true}
            onChange={({ target }) => change({ ...one, [channel]: target.checked })}
          />
        </td>
      ))}
    </tr>
  )
}
