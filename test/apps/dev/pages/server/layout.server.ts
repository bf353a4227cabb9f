export const load = () => ({ layout: 'layout' })
