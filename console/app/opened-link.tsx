/** The address of a sign-in for a user who is signed in: a link signs in its user; without one the console opens. */
import { Navigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { request, urlOf } from '../api/client.ts'
import { codeOfAddress } from '../features/session/sign-in.tsx'
import { Waiting } from '../parts/notes.tsx'

/** With an expired link the user stays signed in. */
const signInBy = async (code: string): Promise<void> => {
  const body = { code }
  await request('/console/-/session', { method: 'POST', body, isSignIn: true }).catch(
    () => undefined,
  )
  // Nothing that was read for the other user stays.
  window.location.replace(urlOf('/console/'))
}

export const OpenedLink = (): ReactNode => {
  const [code] = useState(codeOfAddress)
  useEffect(() => {
    if (code !== undefined) void signInBy(code)
  }, [code])
  return code === undefined ? <Navigate to="/" replace /> : <Waiting />
}
