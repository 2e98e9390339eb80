/** Leads to the first value of a form that cannot be sent. */
export const focusFault = (form: HTMLElement): void =>
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
