package javax.annotation;

/** Mark of generated code. The JDK had it until version 8, and the client needs no package beside it and Jackson. */
public @interface Generated {
    String[] value();

    String comments() default "";
}
