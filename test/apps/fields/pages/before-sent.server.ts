export function action({ form }: { form: FormData }) {
  return String(form.get('name'))
}
