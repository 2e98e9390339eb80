/** Whether an invitation leads to a way in. */
import type { ServiceConfig } from '../../api/types.ts'

export const mayInvite = ({ ways, signIn }: ServiceConfig): boolean =>
  ways.length > 0 || signIn === 'issuer'
