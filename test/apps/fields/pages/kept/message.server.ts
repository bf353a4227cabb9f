import { redirect } from 'hydrant'

export function action() {
  redirect('/kept/login')
}
