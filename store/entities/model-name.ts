import { Entity, Index } from 'typeorm';
import { Text, TextKey } from './columns';

/**
 * Spec D2: ids and aliases of models and names of virtual models are one name space without regard
 * to case. Its key decides between processes that want the same name at once.
 */
@Entity('model_names')
@Index('model_names_holder', ['holderKind', 'holder'])
export class ModelNameEntity {
  /** In lower case. */
  @TextKey() nameKey!: string;
  @Text() holderKind!: 'model' | 'virtual_model';
  /** The id of the model or the name of the virtual model. */
  @Text() holder!: string;
}
