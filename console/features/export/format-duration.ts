/** Whole seconds as a clock shows them: 0:07, 12:30, 1:02:05. */

const two = (number: number): string => String(number).padStart(2, '0')

export const formatDuration = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  const shown = hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)
  return `${shown}:${two(seconds % 60)}`
}
