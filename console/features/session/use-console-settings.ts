/** Settings of the user on the service, for every part of the console that keeps something: widths, last views. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  changeSettings,
  mergedSettings,
  type Settings,
  settingsQuery,
} from '../../api/own/session.ts'

const noSettings: Settings = {}
const mutationKey = ['settings']

export type ConsoleSettings = {
  /** By name; read them with care, another version may have written them. */
  readonly settings: Settings
  /** Sets some names, null removes one; shown at once. */
  readonly change: (change: Settings) => void
  /** Why the last change was not kept. */
  readonly error: Error | null
}

export const useConsoleSettings = (): ConsoleSettings => {
  const client = useQueryClient()
  const { queryKey } = settingsQuery
  const { data = noSettings } = useQuery(settingsQuery)
  const { mutate, error } = useMutation({
    mutationKey,
    mutationFn: changeSettings,
    // One after the other, so that the last change wins.
    scope: { id: 'settings' },
    onMutate: async (change) => {
      await client.cancelQueries({ queryKey })
      client.setQueryData(queryKey, (now: Settings = noSettings) => mergedSettings(now, change))
    },
    onSuccess: (settings) => {
      // An answer knows nothing of the changes that wait behind it.
      if (client.isMutating({ mutationKey }) === 1) client.setQueryData(queryKey, settings)
    },
    onError: () => client.invalidateQueries({ queryKey }),
  })
  return { settings: data, change: mutate, error }
}
