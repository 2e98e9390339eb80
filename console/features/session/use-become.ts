/** Goes on as another user, which only sessions of development may. */
import { useMutation } from '@tanstack/react-query'
import { request, urlOf } from '../../api/client.ts'
import { firstUserBefore, forgetFirstUser, keepFirstUser } from './first-user.ts'
import { useSession } from './session.ts'

export const useBecome = () => {
  const { me } = useSession()
  return useMutation({
    mutationFn: (userId: number) =>
      request('/console/-/session', { method: 'POST', body: { user_id: userId }, isSignIn: true }),
    onSuccess: (_session, userId) => {
      if (userId === firstUserBefore(me.id)) forgetFirstUser()
      else keepFirstUser(me.id)
      window.location.assign(urlOf('/console'))
    },
  })
}
