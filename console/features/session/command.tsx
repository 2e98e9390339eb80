/** A command to copy: it does not break, and one click selects all of it. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { configQuery } from '../../api/queries.ts'
import './sign-in.css'

/** Prints a link that signs in. */
export const linkCommand = 'login'

/** Prints an API key. */
export const keyCommand = 'api-key create'

/** `words` follow the name of the program, which depends on how the service is installed. */
export const Command = ({ words }: { readonly words: string }): ReactNode => (
  <code className="command" translate="no">
    {useQuery(configQuery).data?.command} {words}
  </code>
)
