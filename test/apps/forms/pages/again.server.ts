import { redirect } from 'hydrant'

export function action() {
  redirect('/sent-on', 308)
}
