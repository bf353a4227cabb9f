import { redirect } from 'hydrant'

export function load() {
  redirect('/two')
}
