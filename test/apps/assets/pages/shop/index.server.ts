import type { ActionContext } from 'hydrant'

export const action = ({ form }: ActionContext<'/shop'>) => String(form.get('text'))
