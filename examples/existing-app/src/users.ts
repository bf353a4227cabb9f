export interface User {
  name: string
  role: 'agent' | 'operator'
}

/** A placeholder for your user database, which stores hashes of passwords. */
const users: readonly (User & { password: string })[] = [
  { name: 'Ada', role: 'operator', password: 'oolong' },
  { name: 'Bob', role: 'agent', password: 'assam' },
]

/** Returns the user, or null if the name or the password is wrong. */
export function findUser(name: string, password: string): User | null {
  const user = users.find((one) => one.name === name && one.password === password)
  return user ? { name: user.name, role: user.role } : null
}
