/** Accounts as the service would list them. */
import type { Account } from '../../../console/api/admin/accounts.ts'

/** One that signs in with a password. */
export const accountOf = (id: number, name: string, more: Partial<Account> = {}): Account => ({
  id,
  version: 1,
  full_name: name,
  email: `${id}@example.com`,
  username: `${id}@example.com`,
  is_active: true,
  is_blocked: false,
  roles: [{ key: 'clerk', name: 'Clerk' }],
  groups: [],
  invitation: null,
  is_invited: false,
  is_anonymised: false,
  ways: ['password'],
  has_second_factor: false,
  last_seen_at: '2026-05-04T08:30:00.000Z',
  ...more,
})

const isOf = {
  active: ({ is_active, is_blocked }: Account) => is_active && !is_blocked,
  invited: ({ is_invited }: Account) => is_invited,
  blocked: ({ is_blocked }: Account) => is_blocked,
  inactive: ({ is_active }: Account) => !is_active,
}

/** The answer of a list with these. */
export const accountsOf = (...data: readonly Account[]) => ({
  body: {
    data,
    counts: {
      all: data.length,
      active: data.filter(isOf.active).length,
      invited: data.filter(isOf.invited).length,
      blocked: data.filter(isOf.blocked).length,
      inactive: data.filter(isOf.inactive).length,
    },
  },
})

/** The roles that users can have. */
export const rolesAnswer = {
  body: {
    data: [
      { id: 1, key: 'administrator', name: 'Administrator' },
      { id: 2, key: 'clerk', name: 'Clerk' },
    ],
    next: null,
    previous: null,
  },
}
