/** When notifications reach the user beyond the inbox, by kind and channel. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { nameOfKey } from '../../../src/definitions/values/rules/key-names.ts'
import {
  type NotificationPreference,
  type NotificationPreferences,
  notificationPreferencesQuery,
  type OwnTimes,
  savePreferences,
} from '../../api/own/account.ts'
import { Choice } from '../../parts/choice.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import { useSession } from '../session/session.ts'

const keyOf = ({ entity, operation }: NotificationPreference): string => `${entity} ${operation}`

type Change = Partial<OwnTimes> & { readonly one?: NotificationPreference }

const changed = (
  now: NotificationPreferences | undefined,
  { one, ...times }: Change,
): NotificationPreferences | undefined =>
  now && {
    ...now,
    ...times,
    data: now.data.map((each) => (one && keyOf(each) === keyOf(one) ? one : each)),
  }

/** The preferences of the user; a change is shown at once. */
export const usePreferences = () => {
  const client = useQueryClient()
  const { entities } = useSession()
  const { queryKey } = notificationPreferencesQuery
  const all = useQuery(notificationPreferencesQuery)
  const { mutate, error } = useMutation({
    mutationFn: ({ one, ...times }: Change) =>
      savePreferences({ data: one ? [one] : [], ...times }),
    scope: { id: 'notification preferences' },
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey })
      client.setQueryData<NotificationPreferences>(queryKey, (now) => changed(now, change))
    },
    onSettled: () => client.invalidateQueries({ queryKey }),
  })
  // Nothing is sent about entities that the role may not read, and their names stay hidden.
  const preferences = (all.data?.data ?? []).filter(
    ({ entity }) => (entities.get(entity)?.permissions.read ?? false) !== false,
  )
  return { preferences, times: all.data, change: mutate, error: error ?? all.error }
}

const channelsOf = (preferences: readonly NotificationPreference[]): readonly string[] => [
  ...new Set(
    preferences.flatMap((one) =>
      Object.keys(one).filter((name) => name !== 'entity' && name !== 'operation'),
    ),
  ),
]

type ChoicesProps = ReturnType<typeof usePreferences>

export const NotificationChoices = ({
  preferences,
  times,
  change,
  error,
}: ChoicesProps): ReactNode => {
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
      {times && <TimesForm times={times} change={change} />}
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
          <Choice
            aria-label={texts.choice(channelName(channel), entity, operation)}
            value={one[channel]}
            options={Object.entries(texts.paces)}
            onChange={(pace = '') => change({ one: { ...one, [channel]: pace } })}
          />
        </td>
      ))}
    </tr>
  )
}

type TimesProps = Pick<ChoicesProps, 'change'> & { readonly times: OwnTimes }

const usualQuiet = { from: '20:00', to: '07:00' }

const TimesForm = ({ times, change }: TimesProps): ReactNode => {
  const texts = useWorkTexts().settings
  const { dailyAt, quietHours } = times
  return (
    <>
      <div className="setting-line">
        <Time label={texts.dailyAt} value={dailyAt} onSave={(time) => change({ dailyAt: time })} />
      </div>
      <label className="setting-switch">
        <input
          type="checkbox"
          checked={quietHours !== null}
          onChange={({ target }) => change({ quietHours: target.checked ? usualQuiet : null })}
        />
        {texts.quiet}
      </label>
      {quietHours && (
        <div className="setting-line">
          <Time
            label={texts.quietFrom}
            value={quietHours.from}
            onSave={(from) => change({ quietHours: { ...quietHours, from } })}
          />
          <Time
            label={texts.quietTo}
            value={quietHours.to}
            onSave={(to) => change({ quietHours: { ...quietHours, to } })}
          />
        </div>
      )}
      <small className="setting-help">{texts.timesHelp}</small>
    </>
  )
}

type TimeProps = {
  readonly label: string
  readonly value: string
  readonly onSave: (time: string) => void
}

/** A time that is saved when it is entered: each of its digits would be a time of its own. */
const Time = ({ label, value, onSave }: TimeProps): ReactNode => {
  const [entered, setEntered] = useState<string | undefined>()
  const save = () => {
    if (entered && entered !== value) onSave(entered)
    setEntered(undefined)
  }
  return (
    <label className="setting-switch">
      {label}
      <input
        type="time"
        className="field-input"
        required
        value={entered ?? value}
        onChange={({ target }) => setEntered(target.value)}
        onBlur={save}
        onKeyDown={({ key }) => key === 'Enter' && save()}
      />
    </label>
  )
}
