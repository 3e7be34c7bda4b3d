import { z } from 'zod';
import { setting } from '../setting';
import { modelName, virtualModelName } from './names';

export const virtualModel = z.strictObject({
  NAME: setting(virtualModelName, {
    description: 'Name that clients send (spec D2). Unique without regard to case against every model and alias.',
  }),
  STRATEGY: setting(z.enum(['failover', 'load_balancing']), {
    description: 'failover tries the members in this order; load_balancing orders them anew for each request.',
  }),
  MEMBERS: setting(z.array(modelName).min(2), {
    description: 'IDs of at least two different catalogue models. A virtual model cannot be a member.',
  }),
});

export const virtualModels = setting(z.array(virtualModel).default([]), {
  description:
    'Virtual models: several catalogue models behind one name. Those defined here are read-only in the WebUI and API.',
});
