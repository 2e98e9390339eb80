/** Buttons: one look for what a page is for, a quiet one for the rest. */
import type { ComponentProps, ReactNode } from 'react'
import './button.css'

type ButtonProps = ComponentProps<'button'> & {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger'
}

export const Button = ({ look = 'plain', type = 'button', ...rest }: ButtonProps): ReactNode => (
  <button type={type} {...rest} className="button" data-look={look} />
)

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
