/** Goes on as another user, which only sessions of development may. */
import { useMutation } from '@tanstack/react-query'
import { request, urlOf } from '../../api/client.ts'
import { setChangedHere } from './one-user.tsx'

export const useBecome = () =>
  useMutation({
    mutationFn: (userId: number) =>
      request('/console/-/session', { method: 'POST', body: { user_id: userId }, isSignIn: true }),
    onSuccess: () => {
      setChangedHere(true)
      window.location.assign(urlOf('/console'))
    },
  })
