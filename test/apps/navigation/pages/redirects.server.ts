import { redirect } from 'hydrant'

export function load() {
  redirect('/about?from=redirect')
}
