/** A command to copy: it does not break, and one click selects all of it. */
import type { ReactNode } from 'react'
import './command.css'

/** Prints a link that signs in. */
export const linkCommand = 'npm run docket -- login'

/** Prints an API key. */
export const keyCommand = 'npm run docket -- api-key create'

export const Command = ({ line }: { readonly line: string }): ReactNode => (
  <code className="command" translate="no">
    {line}
  </code>
)
