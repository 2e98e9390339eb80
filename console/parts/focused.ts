/** The `ref` of what has the focus as soon as it is shown, where a step of a dialog takes the place of another. */
export const focused = (element: HTMLElement | null): void => {
  // Which a dialog obeys that opens with it, after this.
  element?.setAttribute('autofocus', '')
  element?.focus()
}
