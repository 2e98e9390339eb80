/** The inputs of a password, which can be shown, and of a code; and what is said of a password that was refused. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { passwordLength } from '../../api/own/credentials.ts'
import { Button } from '../../parts/button.tsx'
import { useWorkTexts } from '../../texts/texts.ts'
import './field-input.css'
import './sign-in.css'

type InputProps = Omit<ComponentProps<'input'>, 'id' | 'type' | 'className'> & {
  readonly label: string
  readonly autoComplete: 'current-password' | 'new-password'
}

export const PasswordInput = ({ label, ...rest }: InputProps): ReactNode => {
  const texts = useWorkTexts().passwords
  const id = useId()
  const [isShown, setIsShown] = useState(false)
  const isNew = rest.autoComplete === 'new-password'
  return (
    <div className="password-input">
      <label htmlFor={id}>{label}</label>
      {isNew && <small id={`${id}-help`}>{texts.length(passwordLength.min)}</small>}
      <div className="password-line">
        <input
          {...rest}
          id={id}
          className="field-input"
          type={isShown ? 'text' : 'password'}
          required
          minLength={isNew ? passwordLength.min : undefined}
          maxLength={passwordLength.max}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          aria-describedby={isNew ? `${id}-help` : undefined}
        />
        <Button
          aria-label={(isShown ? texts.hideOf : texts.showOf)(label)}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? texts.hide : texts.show}
        </Button>
      </div>
    </div>
  )
}

/** A waiting time in words; whole minutes if it is long. */
const timeOf = (seconds: number): string => {
  const isLong = seconds > 90
  const unit = isLong ? 'minute' : 'second'
  const { lang } = document.documentElement
  const format = new Intl.NumberFormat(lang || 'en', { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(isLong ? Math.ceil(seconds / 60) : seconds)
}

// The service always says how long; a proxy may not.
const usualSeconds = 60

/** A field of a form, `name`: the e-mail or the user name of the person who signs in. */
export const NameInput = (): ReactNode => (
  <label>
    {useWorkTexts().passwords.name}
    <input
      className="field-input"
      name="name"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={320}
      required
    />
  </label>
)

/** Says in a sentence why something was refused: in the given one, or in that of a busy service. `tooMany` is about guesses. */
export const usePasswordFault = (tooMany?: (time: string) => string) => {
  const texts = useWorkTexts().passwords
  return (error: Error, refusals: Readonly<Record<number, string | undefined>>): string => {
    if (!(error instanceof ApiProblem)) return error.message
    if (error.status === 429)
      return (tooMany ?? texts.tooMany)(timeOf(error.retryAfter ?? usualSeconds))
    if (error.status === 503) return texts.busy
    return refusals[error.status] ?? error.message
  }
}

// The input of a code, which a password manager may fill in.

type CodeProps = {
  readonly label: string
  /** Whether a recovery code is taken, too. */
  readonly takesRecoveryCode?: boolean
}

export const CodeInput = ({ label, takesRecoveryCode = false }: CodeProps): ReactNode => (
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
