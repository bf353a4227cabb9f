import { redirect } from 'hydrant'

export function action() {
  redirect('/one')
}
