/** Buttons: one look for what a page is for, a quiet one for the rest. */
import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import './button.css'

type ButtonProps = ComponentProps<'button'> & {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
}

// A form is not sent by it either.
const refuse = (event: MouseEvent): void => event.preventDefault()

/** While it is disabled it keeps the focus, which a browser takes from disabled buttons. */
export const Button = (props: ButtonProps): ReactNode => {
  const { look = 'plain', type = 'button', disabled = false, onClick, ...rest } = props
  return (
    <button
      type={type}
      {...rest}
      className="button"
      data-look={look}
      aria-disabled={disabled || undefined}
      onClick={disabled ? refuse : onClick}
    />
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  /** What it does, for those who do not see the icon. */
  readonly label: string
  readonly icon: ReactNode
}

export const IconButton = ({ label, icon, ...rest }: IconButtonProps): ReactNode => (
  <button
    type="button"
    title={label}
    {...rest}
    aria-label={label}
    className="button"
    data-look="icon"
  >
    {icon}
  </button>
)
