/** The input of a code, which a password manager may fill in. */
import type { ReactNode } from 'react'
import '../field-input.css'

type InputProps = {
  readonly label: string
  /** Whether a recovery code is taken, too. */
  readonly takesRecoveryCode?: boolean
}

export const CodeInput = ({ label, takesRecoveryCode = false }: InputProps): ReactNode => (
  <label>
    {label}
    <input
      className="field-input"
      name="code"
      autoComplete="one-time-code"
      inputMode={takesRecoveryCode ? 'text' : 'numeric'}
      pattern={takesRecoveryCode ? undefined : '\\s*\\d{3}\\s*\\d{3}\\s*'}
      autoCapitalize="none"
      spellCheck={false}
      dir="ltr"
      maxLength={takesRecoveryCode ? 40 : 12}
      required
    />
  </label>
)
