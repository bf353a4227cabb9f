export const shared = () => 'shared'
