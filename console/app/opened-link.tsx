/** The address of a sign-in, for somebody who is signed in: a link signs in whom it is for, and without one there is nothing to do. */
import { Navigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { request, urlOf } from '../api/client.ts'
import { codeOfAddress } from '../features/session/sign-in.tsx'
import { Waiting } from '../parts/notes.tsx'

/** Whoever opens an old link stays who they are. */
const signInBy = async (code: string): Promise<void> => {
  const body = { code }
  await request('/console/-/session', { method: 'POST', body, isSignIn: true }).catch(
    () => undefined,
  )
  // Nothing that was read for somebody else stays.
  window.location.replace(urlOf('/console/'))
}

export const OpenedLink = (): ReactNode => {
  const [code] = useState(codeOfAddress)
  useEffect(() => {
    if (code !== undefined) void signInBy(code)
  }, [code])
  return code === undefined ? <Navigate to="/" replace /> : <Waiting />
}
